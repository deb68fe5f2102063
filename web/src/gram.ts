// The Gram matrix as a heat map, its eigenvalues beside it; the mouse names the pair.
import type { GramView } from './api';
import { decades, fitted, ink, tickText } from './canvas';
import { css, mark, negative, positive, signedColour, valueColour } from './colours';

export class GramPanel {
  data: GramView | null = null;
  readonly redraw: () => void;
  private side = 1;

  private at: [number, number] | null = null; // of the keyboard

  constructor(readonly canvas: HTMLCanvasElement, private readonly tell: (text: string) => void) {
    this.redraw = fitted(canvas, (c, w, h) => this.draw(c, w, h));
    canvas.addEventListener('pointermove', (e) => {
      const box = canvas.getBoundingClientRect();
      const n = this.data?.n ?? 0;
      this.say(Math.floor(((e.clientY - box.top) / this.side) * n), Math.floor(((e.clientX - box.left) / this.side) * n));
    });
    canvas.addEventListener('pointerleave', () => this.tell(''));
    canvas.addEventListener('keydown', (e) => {
      const moves: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      const n = this.data?.n ?? 0;
      if (!moves[e.key] || n === 0) return;
      e.preventDefault();
      const [i, j] = this.at ?? [0, 0];
      const inside = (v: number): number => Math.min(n - 1, Math.max(0, v));
      this.at = this.at ? [inside(i + moves[e.key][0]), inside(j + moves[e.key][1])] : [0, 0];
      this.say(...this.at);
      this.redraw();
    });
    canvas.addEventListener('blur', () => {
      this.at = null;
      this.redraw();
    });
  }

  private say(i: number, j: number): void {
    const g = this.data;
    if (!g) return;
    const group = (k: number): string => {
      let last = 0;
      return g.groups.find(([, count]) => k < (last += count))?.[0] ?? '';
    };
    this.tell(i >= 0 && j >= 0 && i < g.n && j < g.n
      ? `K[${i + 1}, ${j + 1}] = ${g.values[i * g.n + j].toPrecision(4)}: a point of class ${group(i)} and one of class ${group(j)}` : '');
  }

  private draw(c: CanvasRenderingContext2D, width: number, height: number): void {
    const g = this.data;
    if (!g) return;
    this.side = Math.min(height, width * 0.62);
    const signs = g.least < 0 && g.largest > 0;
    const size = Math.max(-g.least, g.largest);
    const range = g.largest - g.least || 1;
    const image = new ImageData(g.n, g.n);
    g.values.forEach((v, k) => {
      const colour = signs ? signedColour(v / size) : valueColour((v - g.least) / range);
      image.data.set([...colour, 255], 4 * k);
    });
    const small = document.createElement('canvas');
    small.width = small.height = g.n;
    small.getContext('2d')!.putImageData(image, 0, 0);
    c.imageSmoothingEnabled = false;
    c.drawImage(small, 0, 0, this.side, this.side);
    c.strokeStyle = signs ? '#000' : '#fff';
    let before = 0;
    for (const [, count] of g.groups.slice(0, -1)) {
      before += count;
      const at = (before / g.n) * this.side;
      c.beginPath();
      c.moveTo(at, 0);
      c.lineTo(at, this.side);
      c.moveTo(0, at);
      c.lineTo(this.side, at);
      c.stroke();
    }
    if (this.at && this.at[0] < g.n && this.at[1] < g.n) {
      const cell = this.side / g.n;
      c.strokeStyle = '#d00';
      c.lineWidth = 2;
      c.strokeRect(this.at[1] * cell - 2, this.at[0] * cell - 2, cell + 4, cell + 4);
    }
    this.drawSpectrum(c, g, this.side + 54, width - 8);
  }

  // Eigenvalues by size, on logarithmic scales.
  private drawSpectrum(c: CanvasRenderingContext2D, g: GramView, left: number, right: number): void {
    const wide = right - left;
    const tall = this.side - 24;
    const sizes = g.eigenvalues.map(Math.abs).filter((v) => v > g.rounding);
    const high = sizes.reduce((a, b) => Math.max(a, b), 1e-300) * 1.6;
    const low = sizes.reduce((a, b) => Math.min(a, b), high) / 1.6;
    const x = (k: number): number => left + (Math.log(k + 1) / Math.log(Math.max(2, g.n))) * wide;
    const y = (v: number): number => 4 + (Math.log(high / Math.abs(v)) / Math.log(high / low)) * tall;
    c.fillStyle = ink();
    c.strokeStyle = ink();
    c.lineWidth = 1;
    c.strokeRect(left - 4, 0, wide + 8, tall + 8);
    c.font = '11px system-ui, sans-serif';
    c.textAlign = 'right';
    for (const t of decades(low, high)) c.fillText(tickText(t), left - 8, y(t) + 4);
    c.textAlign = 'left';
    c.fillText('eigenvalues', left, tall + 22);
    g.eigenvalues.forEach((v, k) => {
      if (Math.abs(v) <= g.rounding) return;
      c.fillStyle = css(v < 0 ? positive : negative);
      mark(c, x(k), y(v), v < 0 ? 4 : -1, v < 0 ? 3.2 : 2.4);
      c.fill();
    });
  }
}

// How many are below 0, and how many are there by rounding alone.
export function aboutEigenvalues(g: GramView): string {
  const below = g.eigenvalues.filter((v) => v < -g.rounding).length;
  const none = g.eigenvalues.filter((v) => Math.abs(v) <= g.rounding).length;
  return `; eigenvalues: ${below > 0 ? `${below} below 0 (▼)` : 'all ≥ 0'}${none > 0 ? `, ${none} ≈ 0` : ''}`;
}
