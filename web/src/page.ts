// Small services: elements, numbers for people, one question of a kind at a time.
export const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
export const input = (id: string): HTMLInputElement => element<HTMLInputElement>(id);

export const short = (v: number): string =>
  Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(Number(v.toPrecision(4)));

export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// A newer question of a kind cancels the older one.
const controllers = new Map<string, AbortController>();
export function fresh(kind: string): AbortSignal {
  controllers.get(kind)?.abort();
  const controller = new AbortController();
  controllers.set(kind, controller);
  return controller.signal;
}
export const cancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

const timers = new Map<string, number>();
export function soon(kind: string, action: () => void, wait = 60): void {
  clearTimeout(timers.get(kind));
  timers.set(kind, window.setTimeout(action, wait));
}

// MathML as the program wrote it; `text` is for those who do not see it.
export function maths(mathml: string, text: string): HTMLElement {
  const span = document.createElement('span');
  span.className = 'math';
  span.innerHTML = mathml;
  const math = span.querySelector('math');
  math?.setAttribute('aria-label', text);
  math?.setAttribute('alttext', text);
  span.title = text;
  return span;
}
