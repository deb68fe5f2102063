// The Gram matrix as a heat map, its eigenvalues beside it; the mouse names the pair.
import type { GramView } from './api';
import { fitted, ink } from './canvas';
import { css, negative, positive, signedColour, valueColour } from './colours';

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
    // Eigenvalues by size, on logarithmic scales.
    const left = this.side + 54;
    const wide = width - left - 8;
    const tall = this.side - 24;
    const largest = Math.max(...g.eigenvalues.map(Math.abs)) || 1;
    const least = largest * 1e-12;
    const x = (k: number): number => left + (Math.log(k + 1) / Math.log(Math.max(2, g.n))) * wide;
    const y = (v: number): number =>
      4 + (Math.log(largest / Math.max(Math.abs(v), least)) / Math.log(largest / least)) * tall;
    c.fillStyle = ink();
    c.strokeStyle = ink();
    c.lineWidth = 1;
    c.strokeRect(left - 4, 0, wide + 8, tall + 8);
    c.font = '11px system-ui, sans-serif';
    c.textAlign = 'right';
    for (const e of [0, -4, -8, -12])
      c.fillText(e === 0 ? (largest >= 100 ? largest.toFixed(0) : largest.toPrecision(2)) : `·1e${e}`, left - 8, y(largest * 10 ** e) + 4);
    c.textAlign = 'left';
    c.fillText('eigenvalues', left, tall + 22);
    g.eigenvalues.forEach((v, k) => {
      if (Math.abs(v) < least) return;
      c.fillStyle = css(v < 0 ? positive : negative);
      c.beginPath();
      c.arc(x(k), y(v), 2.4, 0, 2 * Math.PI);
      c.fill();
    });
  }
}
