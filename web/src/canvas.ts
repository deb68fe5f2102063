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
