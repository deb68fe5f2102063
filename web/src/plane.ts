// The plane: points, the field of scores behind them, boundary and margins, and the mouse.
import type { Point } from './api';
import { fitted, faint, ink, paper, ticks } from './canvas';
import { css, mark, mixed, negative, ofClass, positive, type Rgb } from './colours';
import { short } from './page';

export interface PlaneView {
  points: Point[];
  classes: number[]; // labels, in the order of the fields below
  fields: Float32Array[]; // one: the score of two classes; more: the lead of each class
  winner: Uint8Array | null; // of more than two classes
  cells: number;
  weights: number[] | null; // of the points, for their rings
  C: number | null; // of support vectors: those at their bound are marked
  margins: boolean;
  wrong: number[];
  current: number | null; // the example that was visited last
  mistaken: boolean;
  witness: Witness[];
  cursor: [number, number] | null; // of the keyboard
}

export const view: [number, number, number, number] = [-3, 3, -3, 3];

interface Witness {
  x: number;
  y: number;
  text: string;
}

const range = (v: number[]): [number, number] => [v.reduce((a, b) => Math.min(a, b)), v.reduce((a, b) => Math.max(a, b))];
function around(points: [number, number][]): typeof view {
  const more = ([a, b]: [number, number]): [number, number] => [a - Math.max((b - a) * 0.1, 1e-3), b + Math.max((b - a) * 0.1, 1e-3)];
  return [...more(range(points.map((p) => p[0]))), ...more(range(points.map((p) => p[1])))];
}

// The usual square, or one around points that go beyond it, and around a counterexample that is not far from them.
// Tells whether that is another one than before.
export function fitView(points: Point[], witness: Witness[] = []): boolean {
  const usual = points.every(([x, y]) => Math.abs(x) <= 3 && Math.abs(y) <= 3);
  let next: typeof view = usual ? [-3, 3, -3, 3] : around(points.map(([x, y]) => [x, y]));
  const inside = ({ x, y }: Witness): boolean => x > next[0] && x < next[1] && y > next[2] && y < next[3];
  if (!witness.every(inside)) {
    const wide = around([[next[0], next[2]], [next[1], next[3]], ...witness.map(({ x, y }): [number, number] => [x, y])]);
    const most = 4;
    if (wide[1] - wide[0] <= most * (next[1] - next[0]) && wide[3] - wide[2] <= most * (next[3] - next[2])) next = wide;
  }
  const other = next.some((v, k) => v !== view[k]);
  view.splice(0, 4, ...next);
  return other;
}

const dark = (): boolean => paper().startsWith('#1');
// Around points: in the dark the field is as dark as they are.
const outline = (): string => (dark() ? '#d5dae0' : paper());

// The same everywhere, but for rounding: there are no lines in it.
function constant(field: Float32Array): boolean {
  let [low, high] = [Infinity, -Infinity];
  for (const f of field) {
    if (f < low) low = f;
    if (f > high) high = f;
  }
  return high - low <= 1e-5 * Math.max(Math.abs(low), Math.abs(high));
}

export class Plane {
  state: PlaneView = {
    points: [], classes: [], fields: [], winner: null, cells: 0, weights: null, C: null, margins: false, wrong: [],
    current: null, mistaken: false, witness: [], cursor: null,
  };
  readonly redraw: () => void;
  frames = 0; // drawn so far
  private width = 1;
  private height = 1;
  private readonly small = document.createElement('canvas');

  constructor(readonly canvas: HTMLCanvasElement) {
    this.redraw = fitted(canvas, (c, w, h) => this.draw(c, w, h));
  }

  private x(v: number): number {
    return ((v - view[0]) / (view[1] - view[0])) * this.width;
  }
  private y(v: number): number {
    return ((view[3] - v) / (view[3] - view[2])) * this.height;
  }
  // From the mouse to the plane.
  at(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [
      view[0] + ((event.clientX - box.left) / box.width) * (view[1] - view[0]),
      view[3] - ((event.clientY - box.top) / box.height) * (view[3] - view[2]),
    ];
  }
  seen([x, y]: [number, number]): boolean {
    return x >= view[0] && x <= view[1] && y >= view[2] && y <= view[3];
  }
  // The point under the mouse.
  near([x, y]: [number, number]): number {
    let best = -1;
    let least = 9; // pixels
    this.state.points.forEach(([a, b], i) => {
      const far = Math.hypot(this.x(a) - this.x(x), this.y(b) - this.y(y));
      if (far < least) {
        least = far;
        best = i;
      }
    });
    return best;
  }

  private drawField(c: CanvasRenderingContext2D): void {
    const { fields, winner, cells, classes } = this.state;
    if (fields.length === 0 || fields[0].length !== cells * cells) return;
    const several = fields.length > 1 && winner !== null;
    const image = new ImageData(cells, cells);
    const background: Rgb = dark() ? [0x1b, 0x1d, 0x21] : [255, 255, 255];
    const size = (k: number): number => Math.abs(several ? fields[winner[k]][k] : fields[0][k]);
    let large = this.state.margins ? 2 : 1;
    if (!this.state.margins) {
      const some = new Float32Array(Math.ceil((cells * cells) / 7));
      for (let k = 0; k < some.length; ++k) some[k] = Number.isFinite(size(7 * k)) ? size(7 * k) : 0;
      large = Math.max(some.sort()[Math.floor(some.length * 0.8)], 1e-9); // rounding is no score
    }
    // Colours from a table: a frame has thousands of cells, and twenty frames a second are wanted.
    const steps = 64;
    const table = (several ? classes.map(ofClass) : [negative, positive].map((_, k) => ofClass(classes[k] ?? (k ? 1 : -1))))
      .map((full) => Array.from({ length: steps + 1 }, (_, k) => mixed(background, full, 0.1 + (0.4 * k) / steps)));
    const none: Rgb = [128, 128, 128];
    const data = image.data;
    for (let k = 0; k < cells * cells; ++k) {
      const f = several ? fields[winner[k]][k] : fields[0][k];
      const colour = Number.isFinite(f)
        ? table[several ? winner[k] : f > 0 ? 1 : 0][Math.round(steps * Math.min(1, Math.abs(f) / large))] : none;
      data[4 * k] = colour[0];
      data[4 * k + 1] = colour[1];
      data[4 * k + 2] = colour[2];
      data[4 * k + 3] = 255;
    }
    if (this.small.width !== cells) this.small.width = this.small.height = cells;
    this.small.getContext('2d')!.putImageData(image, 0, 0);
    c.imageSmoothingEnabled = !several; // between three colours there is no fourth
    c.drawImage(this.small, 0, 0, this.width, this.height);
    if (several) {
      for (const field of fields) this.contour(c, field, 0, 1.8);
      return;
    }
    if (constant(fields[0])) return;
    if (this.state.margins) {
      c.setLineDash([5, 4]);
      for (const level of [-1, 1]) this.contour(c, fields[0], level, 1.2);
      c.setLineDash([]);
    }
    this.contour(c, fields[0], 0, 2.2);
  }

  // Where the field has a value: a piece of line in every cell of the grid.
  private contour(c: CanvasRenderingContext2D, field: Float32Array, level: number, width: number): void {
    const { cells } = this.state;
    const step = [this.width / cells, this.height / cells];
    const next = new Map<string, [number, number][]>(); // pieces, by their ends
    const key = (p: [number, number]): string => `${p[0].toFixed(3)},${p[1].toFixed(3)}`;
    const join = (p: [number, number], q: [number, number]): void => {
      for (const [a, b] of [[p, q], [q, p]]) next.set(key(a), [...(next.get(key(a)) ?? []), b]);
    };
    for (let j = 0; j + 1 < cells; ++j)
      for (let i = 0; i + 1 < cells; ++i) {
        const k = j * cells + i;
        const up = field[k] > level;
        if (up === field[k + 1] > level && up === field[k + cells] > level && up === field[k + cells + 1] > level)
          continue; // most cells
        const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const v = corners.map(([a, b]) => field[b * cells + a] - level);
        if (!v.every(Number.isFinite)) continue;
        const cuts: [number, number][] = [];
        for (let k = 0; k < 4; ++k) {
          const n = (k + 1) % 4;
          if (v[k] > 0 === v[n] > 0) continue;
          const s = v[k] / (v[k] - v[n]);
          const at = [0, 1].map((d) => (corners[k][d] + s * (corners[n][d] - corners[k][d]) + 0.5) * step[d]);
          cuts.push(at as [number, number]);
        }
        for (let k = 0; k + 1 < cuts.length; k += 2) join(cuts[k], cuts[k + 1]);
      }
    // In one stroke each, so that dashes go on from piece to piece; open lines from an end first.
    c.beginPath();
    const done = new Set<string>();
    for (const closed of [false, true])
      for (const [start, ends] of next) {
        if (done.has(start) || (!closed && ends.length > 1)) continue;
        const first = start.split(',').map(Number) as [number, number];
        c.moveTo(...first);
        for (let at: [number, number] | undefined = first; at; ) {
          done.add(key(at));
          at = next.get(key(at))?.find((p) => !done.has(key(p)));
          if (at) c.lineTo(...at);
        }
        if (closed) c.lineTo(...first);
      }
    c.strokeStyle = ink();
    c.lineWidth = width;
    c.stroke();
  }

  // A star, or where it lies beyond what is seen, an arrow at the edge that says where.
  private drawWitness(c: CanvasRenderingContext2D, w: Witness, k: number): void {
    const [x, y] = [this.x(w.x), this.y(w.y)];
    const room = 16;
    const at = [Math.min(Math.max(x, room), this.width - room), Math.min(Math.max(y, room), this.height - room)];
    const beyond = x < 0 || y < 0 || x > this.width || y > this.height;
    c.strokeStyle = this.wrongInk();
    c.lineWidth = 2;
    c.beginPath();
    if (beyond) {
      const angle = Math.atan2(y - at[1], x - at[0]);
      const spot = (far: number, turn: number): [number, number] =>
        [at[0] + far * Math.cos(angle + turn), at[1] + far * Math.sin(angle + turn)];
      c.moveTo(...spot(-12, 0));
      c.lineTo(...spot(12, 0));
      c.moveTo(...spot(8, 1.2));
      c.lineTo(...spot(12, 0));
      c.lineTo(...spot(8, -1.2));
    } else {
      for (const [p, q] of [[1, 1], [1, -1], [1.4, 0], [0, 1.4]]) {
        c.moveTo(x - 6 * p, y - 6 * q);
        c.lineTo(x + 6 * p, y + 6 * q);
      }
    }
    c.stroke();
    const text = beyond ? `${w.text ? w.text + ', ' : ''}at (${short(w.x)}, ${short(w.y)})` : w.text;
    // Those that are far away in the same direction have their texts below each other.
    const [tx, ty] = beyond ? [at[0], at[1] + (at[1] > this.height / 2 ? -14 : 14) * k] : [x, y];
    const right = tx + 10 + c.measureText(text).width > this.width;
    c.textAlign = right ? 'right' : 'left';
    c.fillStyle = ink();
    c.fillText(text, right ? tx - 10 : tx + 10, ty < 30 ? ty + 18 : ty - 8);
    c.textAlign = 'left';
  }
  private wrongInk(): string {
    return getComputedStyle(this.canvas).getPropertyValue('--wrong').trim();
  }

  private draw(c: CanvasRenderingContext2D, width: number, height: number): void {
    this.width = width;
    this.height = height;
    ++this.frames;
    c.fillStyle = paper();
    c.fillRect(0, 0, width, height);
    this.drawField(c);
    c.strokeStyle = faint();
    c.fillStyle = ink();
    c.lineWidth = 1;
    c.font = '11px system-ui, sans-serif';
    for (const t of ticks(view[0], view[1], 6)) {
      c.beginPath();
      c.moveTo(this.x(t), 0);
      c.lineTo(this.x(t), height);
      c.stroke();
      if (this.x(t) > 30 && this.x(t) < width - 50) c.fillText(String(t), this.x(t) + 3, height - 4);
    }
    for (const t of ticks(view[2], view[3], 6)) {
      c.beginPath();
      c.moveTo(0, this.y(t));
      c.lineTo(width, this.y(t));
      c.stroke();
      if (this.y(t) > 30 && this.y(t) < height - 30) c.fillText(String(t), 3, this.y(t) - 3);
    }
    c.fillText('x1', width - 18, height - 4);
    c.fillText('x2', 4, 12);
    const { points, weights } = this.state;
    const largest = weights ? weights.reduce((a, b) => Math.max(a, b), 0) : 0;
    const outlined = outline();
    const radius = points.length > 1000 ? 2.6 : points.length > 300 ? 3.6 : 4.6;
    const wrong = new Set(this.state.wrong);
    points.forEach(([a, b, label], i) => {
      const x = this.x(a);
      const z = this.y(b);
      const weight = weights?.[i] ?? 0;
      if (weight > largest * 1e-9) {
        c.beginPath();
        c.arc(x, z, radius * (1.5 + 0.9 * (weight / largest)), 0, 2 * Math.PI);
        c.strokeStyle = ink();
        c.lineWidth = (radius / 4.6) * (this.state.C !== null && weight >= this.state.C * (1 - 1e-6) ? 2.4 : 1.1);
        c.stroke();
      }
      mark(c, x, z, label, radius);
      c.fillStyle = css(ofClass(label));
      c.fill();
      c.strokeStyle = outlined;
      c.lineWidth = 1;
      c.stroke();
      if (!wrong.has(i)) return;
      c.beginPath();
      for (const s of [1, -1]) {
        c.moveTo(x - radius, z - s * radius);
        c.lineTo(x + radius, z + s * radius);
      }
      c.strokeStyle = ink();
      c.lineWidth = 1.5;
      c.stroke();
    });
    const now = this.state.current;
    if (now !== null && points[now]) {
      c.beginPath();
      c.arc(this.x(points[now][0]), this.y(points[now][1]), 15, 0, 2 * Math.PI);
      c.strokeStyle = this.state.mistaken ? '#d00' : '#090';
      c.lineWidth = 3;
      c.stroke();
    }
    this.state.witness.forEach((w, k) => this.drawWitness(c, w, k));
    if (this.state.cursor) {
      const [a, b] = this.state.cursor;
      c.strokeStyle = ink();
      c.lineWidth = 1.5;
      c.strokeRect(this.x(a) - 8, this.y(b) - 8, 16, 16);
    }
  }
}
