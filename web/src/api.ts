// Questions to the program behind the page. All computing is done there.
export type Point = [number, number, 1 | -1];

export interface Frame {
  beta: number[];
  offset: number;
  mistakes: number;
  field: string;
  done?: boolean;
  end?: string;
  message?: string;
  // svm
  support?: number;
  bounded?: number;
  margin?: number | null;
  primal?: number;
  dual?: number;
  // gradient descent
  pass?: number;
  losses?: number[];
  step?: number;
  initial_loss?: number;
  progress?: Record<string, number>;
}

export interface PerceptronState extends Frame {
  visits: number;
  next: number;
  alpha: number[];
  updates: number;
  by_pass: number[];
  converged: boolean;
  ended: boolean;
  radius: number;
  last?: { example: number; mistaken: boolean; score: number };
  bound?: { margin: number; mistakes: number } | null;
}

export interface Derivation {
  rule: string;
  subject: string;
  claim: string;
  note: string;
  statement?: string;
  premises: Derivation[];
}

export interface Proof {
  kernel: string;
  verdict: 'kernel' | 'not a kernel' | 'unknown';
  proof?: Derivation;
  witness?: { points: string[][]; coefficients: string[]; value: string; values: string[] };
  tried?: string[];
}

export interface Parsed {
  kernel: string;
  formula: string;
  features: { kind: string; count: string; complete: boolean; reason: string; map: string[] };
}

export interface Lift {
  names: [string, string, string];
  note: string;
  points: [number, number, number][];
  wrong: number;
  plane?: { w: [number, number, number]; b: number };
}

export interface GramView {
  n: number;
  note: string;
  values: number[];
  eigenvalues: number[];
  groups: [string, number][];
  least: number;
  largest: number;
}

export interface About {
  version: string;
  limits: { points: number; cells: number };
  kernels: { name: string; formula: string; summary: string; parameters: { name: string; default: string }[] }[];
  data: { name: string; summary: string; noise: number }[];
  start: { points: Point[]; name: string } | null;
}

// What the program says is wrong; with the place in the kernel where it is about one.
export class Refused extends Error {
  constructor(message: string, readonly begin?: number, readonly end?: number, readonly suggestion?: string) {
    super(message);
  }
}

interface ErrorBody {
  error?: { message: string; begin?: number; end?: number; suggestion?: string };
}

function refusal(body: ErrorBody): Refused {
  const e = body.error;
  return new Refused(e?.message ?? 'no answer', e?.begin, e?.end, e?.suggestion);
}

async function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const response = await fetch('api/' + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw refusal((await response.json().catch(() => ({}))) as ErrorBody);
  return response;
}

export async function ask<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await send(path, body, signal)).json() as Promise<T>;
}

export async function about(): Promise<About> {
  return (await fetch('api/about')).json() as Promise<About>;
}

// Frames as they are learned. Ends early when the signal says so; the program then stops, too.
export async function* learn(body: unknown, signal: AbortSignal): AsyncGenerator<Frame> {
  const response = await send('learn', body, signal);
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
      const event = JSON.parse(text.slice('data: '.length, at)) as Frame & ErrorBody;
      text = text.slice(at + 2);
      if (event.error) throw refusal(event);
      yield event;
    }
  }
}

export function floats(base64: string): Float32Array {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
