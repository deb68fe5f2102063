// How the training went: mistakes of each pass, the loss, or how far from the end it was.
import { decades, fitted, faint, ink, ticks, tickText } from './canvas';
import { css, negative, positive } from './colours';
import type { Learning } from './learning';
import { short } from './page';
import { state } from './state';

const titles = {
  perceptron: 'mistakes by pass',
  gd: 'loss by pass',
  svm: 'largest violation of the optimality conditions, by move',
  ridge: 'residual, by iteration',
};

export class History {
  readonly redraw: () => void;

  constructor(canvas: HTMLCanvasElement, private readonly note: HTMLElement, private readonly learning: Learning) {
    this.redraw = fitted(canvas, (c, w, h) => this.draw(c, w, h));
  }

  private values(): [number, number][] {
    const numbered = (list: number[]): [number, number][] => list.map((v, k) => [k + 1, v]);
    if (state.learner === 'perceptron') return numbered(this.learning.frame?.by_pass ?? []);
    if (state.learner === 'gd') return numbered(this.learning.losses);
    return [...this.learning.trail].sort((a, b) => a[0] - b[0]);
  }

  private draw(c: CanvasRenderingContext2D, width: number, height: number): void {
    const values = this.values();
    const counts = state.learner === 'perceptron';
    const few = !counts && values.length < 2;
    this.note.textContent = titles[state.learner] + (few || values.length === 0 ? ': press Run to see it' : '');
    if (values.length === 0) return;
    const box = { x: 56, y: 8, w: width - 66, h: height - 34 };
    const all = values.map(([, v]) => v);
    const high = all.reduce((a, b) => Math.max(a, b), 1e-300);
    const low = counts ? 0 : all.reduce((a, b) => Math.min(a, b));
    const log = !counts && low > 0 && high > 30 * low;
    const on = (v: number): number => (log ? Math.log(v) : v);
    const y = (v: number): number => box.y + box.h * (1 - (on(v) - on(low)) / (on(high) - on(low) || 1));
    const last = Math.max(values[values.length - 1][0], 1);
    const first = values[0][0];
    // Steps are looked at in growing strides where there are many.
    const wide = state.learner === 'svm' && last > 60;
    const along = (k: number): number => (wide ? Math.log(k) : k);
    const span = counts ? values.length : along(last) - along(first) || 1;
    const x = (k: number): number => box.x + (box.w * (counts ? k - 0.5 : along(k) - along(first))) / span;
    c.strokeStyle = faint();
    c.fillStyle = ink();
    c.lineWidth = 1;
    c.font = '11px system-ui, sans-serif';
    c.textAlign = 'right';
    for (const t of log ? decades(low, high) : ticks(low, high > low ? high : low + 1, 5)) {
      if ((counts && t !== Math.round(t)) || t > high) continue;
      c.beginPath();
      c.moveTo(box.x, y(t));
      c.lineTo(box.x + box.w, y(t));
      c.stroke();
      c.fillText(log ? tickText(t) : short(t), box.x - 6, y(t) + 4);
    }
    c.textAlign = 'center';
    const marks = wide ? [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000].filter((t) => t >= first && t <= last)
      : ticks(first, Math.max(first + 1, last), 6);
    for (const t of marks) if (t === Math.round(t) && t >= first && t <= last) {
      const half = c.measureText(String(t)).width / 2;
      c.fillText(String(t), Math.min(x(t), width - half), box.y + box.h + 16);
    }
    c.fillStyle = css(positive);
    c.strokeStyle = css(negative);
    c.lineWidth = 2;
    if (counts) {
      const bar = Math.max(1, (box.w / values.length) * 0.7);
      values.forEach(([k, v]) => c.fillRect(x(k) - bar / 2, y(v), bar, box.y + box.h - y(v)));
      return;
    }
    c.beginPath();
    values.forEach(([k, v]) => c.lineTo(x(k), y(v)));
    c.stroke();
    const now = this.learning.frame?.step ?? 0;
    const here = values.find(([k]) => k === now);
    if (!here) return;
    c.beginPath();
    c.arc(x(now), y(here[1]), 4.5, 0, 2 * Math.PI);
    c.fill();
  }
}
