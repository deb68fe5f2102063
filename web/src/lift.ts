// Points in three coordinates of φ with the separating plane, turned by the mouse or the arrow keys.
import type { Lift } from './api';
import { fitted, faint, ink } from './canvas';
import { css, mark as shape, ofClass } from './colours';
import { remember, state } from './state';

type Triple = [number, number, number];
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class LiftView {
  data: Lift | null = null;
  readonly redraw: () => void;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.redraw = fitted(canvas, (c, w, h) => this.draw(c, w, h));
    let from: PointerEvent | null = null;
    canvas.addEventListener('pointerdown', (e) => {
      from = e;
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (!from) return;
      this.rotate((from.clientX - e.clientX) * 0.5, (e.clientY - from.clientY) * 0.5);
      from = e;
    });
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, () => (from = null));
    canvas.addEventListener('keydown', (e) => {
      const moves: Record<string, [number, number]> = {
        ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5],
      };
      if (!moves[e.key]) return;
      e.preventDefault();
      this.rotate(...moves[e.key]);
    });
  }

  rotate(turn: number, tilt: number): void {
    state.turn = Math.round(10 * (((state.turn + turn + 540) % 360) - 180)) / 10;
    state.tilt = Math.round(10 * Math.min(90, Math.max(-90, state.tilt + tilt))) / 10;
    this.canvas.dataset.turn = String(state.turn);
    remember();
    this.redraw();
  }

  private draw(c: CanvasRenderingContext2D, width: number, height: number): void {
    const data = this.data;
    if (!data || data.points.length === 0) return;
    const t = (state.turn * Math.PI) / 180;
    const e = (state.tilt * Math.PI) / 180;
    const towards: Triple = [Math.cos(e) * Math.cos(t), Math.cos(e) * Math.sin(t), Math.sin(e)];
    const right: Triple = [-Math.sin(t), Math.cos(t), 0];
    const up: Triple = [-Math.sin(e) * Math.cos(t), -Math.sin(e) * Math.sin(t), Math.cos(e)];
    const scale = Math.min(width, height) / 3.9;
    const spot = (p: Triple): [number, number] => {
      const near = 9 / (9 - dot(p, towards));
      return [width / 2 + scale * near * dot(p, right), height / 2 - scale * near * dot(p, up)];
    };
    // Each coordinate to [-1, 1].
    const low = [0, 1, 2].map((k) => data.points.reduce((a, p) => Math.min(a, p[k]), Infinity));
    const half = [0, 1, 2].map((k) => Math.max((data.points.reduce((a, p) => Math.max(a, p[k]), -Infinity) - low[k]) / 2, 1e-12));
    const inBox = (p: Triple): Triple => [0, 1, 2].map((k) => (p[k] - low[k]) / half[k] - 1) as Triple;

    const line = (a: Triple, b: Triple): void => {
      c.beginPath();
      c.moveTo(...spot(a));
      c.lineTo(...spot(b));
      c.stroke();
    };
    c.strokeStyle = faint();
    c.lineWidth = 1;
    for (let axis = 0; axis < 3; ++axis)
      for (const p of [-1, 1])
        for (const q of [-1, 1]) {
          const a: Triple = [0, 0, 0];
          a[axis] = -1;
          a[(axis + 1) % 3] = p;
          a[(axis + 2) % 3] = q;
          const b = [...a] as Triple;
          b[axis] = 1;
          line(a, b);
        }
    c.fillStyle = ink();
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'center';
    const shown = data.names.map((name) => (name.length > 34 ? name.slice(0, 33) + '…' : name));
    const near = (k: number): number => Math.sign(towards[k] || 1) * 1.25; // on the side of the eye
    for (const [name, at] of [[shown[0], spot([0, near(1), -1.1])], [shown[1], spot([near(0), 0, -1.1])]] as const) {
      const half = c.measureText(name).width / 2 + 2;
      c.fillText(name, Math.min(Math.max(at[0], half), width - half), Math.min(at[1], height - 4));
    }
    // The third along the edge at the left.
    const left = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
      .map(([p, q]) => spot([p, q, 0]))
      .reduce((a, b) => (b[0] < a[0] ? b : a));
    c.save();
    c.translate(left[0] - 10, left[1]);
    c.rotate(-Math.PI / 2);
    c.fillText(shown[2], 0, 0);
    c.restore();

    const w = data.plane ? (data.plane.w.map((v, k) => v * half[k]) as Triple) : ([0, 0, 0] as Triple);
    const b = data.plane
      ? data.plane.b + data.plane.w.reduce((sum, v, k) => sum + v * (low[k] + half[k]), 0)
      : 0;
    const side = (p: Triple): number => dot(w, p) + b;
    const eye = side(towards.map((v) => v * 9) as Triple);
    const at = data.points.map((p, i) => ({ p: inBox(p), y: data.labels[i] }));
    at.sort((a, z) => dot(a.p, towards) - dot(z.p, towards));
    const mark = ({ p, y }: { p: Triple; y: number }): void => {
      const [x, z] = spot(p);
      shape(c, x, z, y, 4);
      c.fillStyle = css(ofClass(y));
      c.fill();
    };
    if (data.plane) at.filter(({ p }) => side(p) * eye < 0).forEach(mark);
    if (data.plane) {
      const corners = this.polygon(w, b);
      if (corners.length >= 3) {
        c.beginPath();
        corners.forEach((p) => c.lineTo(...spot(p)));
        c.closePath();
        c.fillStyle = 'rgba(120,120,120,0.35)';
        c.fill();
        c.strokeStyle = ink();
        c.stroke();
      }
    }
    at.filter(({ p }) => !data.plane || side(p) * eye >= 0).forEach(mark);
  }

  // Where w·p + b = 0 meets the box, its corners in order.
  private polygon(w: Triple, b: number): Triple[] {
    const corners: Triple[] = [];
    for (let axis = 0; axis < 3; ++axis) {
      if (w[axis] === 0) continue;
      for (const p of [-1, 1])
        for (const q of [-1, 1]) {
          const at: Triple = [0, 0, 0];
          at[(axis + 1) % 3] = p;
          at[(axis + 2) % 3] = q;
          at[axis] = -(b + dot(w, at)) / w[axis];
          if (Math.abs(at[axis]) <= 1) corners.push(at);
        }
    }
    if (corners.length < 3) return [];
    const centre = [0, 1, 2].map((k) => corners.reduce((s, p) => s + p[k], 0) / corners.length) as Triple;
    const minus = (p: Triple, q: Triple): Triple => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    const cross = (p: Triple, q: Triple): Triple => [
      p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0],
    ];
    const length = Math.sqrt(dot(w, w));
    const n = w.map((v) => v / length) as Triple;
    const least = [0, 1, 2].reduce((k, j) => (Math.abs(n[j]) < Math.abs(n[k]) ? j : k), 0);
    const axis: Triple = [0, 0, 0];
    axis[least] = 1;
    const first = cross(n, axis);
    const second = cross(n, first);
    const angle = (p: Triple): number => Math.atan2(dot(minus(p, centre), second), dot(minus(p, centre), first));
    return corners.sort((p, q) => angle(p) - angle(q));
  }
}
