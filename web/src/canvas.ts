// A canvas that fits its element on every screen. `draw` gets its size in CSS pixels.
export function fitted(
  canvas: HTMLCanvasElement,
  draw: (context: CanvasRenderingContext2D, width: number, height: number) => void,
): () => void {
  const context = canvas.getContext('2d')!;
  const paint = (): void => {
    const { width, height } = canvas.getBoundingClientRect();
    if (width < 2 || height < 2) return;
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(width * ratio);
    const h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  new ResizeObserver(paint).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint();
    });
  };
}

export const ink = (): string => getComputedStyle(document.documentElement).getPropertyValue('--ink').trim();
export const faint = (): string =>
  getComputedStyle(document.documentElement).getPropertyValue('--faint').trim();
export const paper = (): string =>
  getComputedStyle(document.documentElement).getPropertyValue('--paper').trim();

// Round numbers in a range.
export function ticks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= rough * 0.999)!;
  const result: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    result.push(Number((k * step).toPrecision(12)));
  return result;
}

// Powers of ten in a range, at most five; where there are less than two, others in between.
export function decades(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const stride = Math.ceil((last - first + 1) / 5);
  const powers: number[] = [];
  for (let e = last; e >= first; e -= stride) powers.push(Number(`1e${e}`));
  if (powers.length > 1) return powers;
  return [first - 1, first].flatMap((e) => [1, 2, 3, 5].map((d) => Number(`${d}e${e}`))).filter((v) => v >= low && v <= high);
}

// 0.001 and 1e-4: as short as it can be.
export const tickText = (v: number): string => (v !== 0 && (v < 1e-3 || v >= 1e5) ? v.toExponential(0).replace('+', '') : String(v));
