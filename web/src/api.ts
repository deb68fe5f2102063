// Questions to the program behind the page. All computing is done there.
export type Point = [number, number, number]; // x1, x2, the label of its class

export interface Frame {
  step: number;
  scores: string[];
  beta: number[][]; // a column for each score
  offsets: number[];
  mistakes: number;
  wrong: number[]; // which points
  outputs?: number[]; // of two classes: the score at each point
  field?: string;
  winner?: string;
  done?: boolean;
  ended?: boolean;
  end?: string;
  message?: string;
  schedule?: number[]; // steps worth looking at
  progress?: Record<string, number>;
  // svm
  support?: number;
  bounded?: number;
  margin?: number | null;
  slack?: number;
  violation?: number;
  // ridge
  residual?: number;
  // gradient descent
  loss?: number;
  losses?: number[];
  rate?: number;
  // perceptron
  pass?: number;
  alpha?: number[][];
  updates?: number;
  by_pass?: number[];
  converged?: boolean;
  last?: { example: number; mistaken: boolean; score: number; classes: number[] };
  bound?: { margin: number; mistakes: number } | null;
  total?: number;
}

export interface Tile {
  kind: 'sum' | 'product' | 'power' | 'negate' | 'function' | 'named' | 'number' | 'formula';
  text: string;
  begin: number;
  end: number;
  name?: string;
  parameters?: { name: string; value: string }[];
  children?: Tile[];
  inverse?: boolean; // subtracted, or divided by
}

export interface Derivation {
  rule: string;
  subject: string;
  mathml: string;
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
  mathml: string;
  features: { kind: string; count: string; complete: boolean; reason: string; map: string[]; mathml: string[] };
}

export interface MapKernel {
  count: number;
  kernel: string;
  formula: string;
  mathml: string;
  map: string[];
}

export interface PointList {
  points: Point[];
  classes: { label: number; name: string }[];
}

export interface Lift {
  names: [string, string, string];
  note: string;
  points: [number, number, number][];
  labels: number[];
  wrong: number;
  plane?: { w: [number, number, number]; b: number };
}

export interface GramView {
  n: number;
  note: string;
  values: number[];
  eigenvalues: number[];
  rounding: number; // those up to it are as good as 0
  groups: [string, number][];
  least: number;
  largest: number;
}

export interface KernelInfo {
  name: string;
  formula: string;
  summary: string;
  domain: string;
  parameters: { name: string; default: string; range: string; help: string }[];
}

export interface About {
  version: string;
  limits: { points: number; cells: number };
  labels: number[];
  kernels: KernelInfo[];
  functions: string[];
  data: { name: string; summary: string; noise: number; any_classes: boolean }[];
  start: (PointList & { name: string }) | null;
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
  }).catch((error: unknown) => {
    if (error instanceof TypeError) throw new Refused('the program does not answer: is mercer studio still running?');
    throw error;
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

export function bytes(base64: string): Uint8Array {
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) result[k] = text.charCodeAt(k);
  return result;
}

export const floats = (base64: string): Float32Array => new Float32Array(bytes(base64).buffer);
