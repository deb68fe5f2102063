// The learner at work: to the end, or step by step, forwards and back. Each frame comes from the
// program; time is a number of steps (visits, passes, moves, iterations), and the program says how
// things stand after so many.
import { ask, bytes, floats, learn, type Frame } from './api';
import { cancelled, element, fresh, input, short, soon, words } from './page';
import { view, type Plane } from './plane';
import { classesOf, nameOf, remember, state } from './state';

const units = { svm: 'move', perceptron: 'visit', gd: 'pass', ridge: 'iteration' } as const;
const many = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : what === 'pass' ? 'es' : 's'}`;

export class Learning {
  frame: Frame | null = null;
  last: Frame | null = null; // the end
  losses: number[] = [];
  trail = new Map<number, number>(); // step to what the history shows of it
  running = false;
  private schedule: number[] = [];
  private kept = new Map<number, Frame>(); // of gradient descent, which does not begin anew for each
  private bound: Frame['bound'];

  constructor(private readonly plane: Plane, private readonly fine: () => boolean, private readonly changed: () => void) {
    const click = (id: string, action: () => void): void => element(id).addEventListener('click', action);
    click('step', () => this.by(1));
    click('back', () => this.by(-1));
    click('rewind', () => this.by(-Infinity));
    click('pass', () => this.by(state.points.length - ((this.frame?.step ?? 0) % state.points.length)));
    click('run', () => void (this.running ? this.pause() : this.run()));
    input('time').addEventListener('input', () => {
      this.pause();
      void this.to(this.schedule[Number(input('time').value)] ?? 0);
    });
  }

  private cells(): number {
    return state.points.length > 600 ? 60 : 90;
  }
  private request(): object {
    return {
      points: state.points, kernel: state.kernel, view, cells: this.cells(), learner: state.learner,
      C: 10 ** state.C, lambda: 10 ** state.lambda,
    };
  }

  // Whatever runs is about what was there before.
  again(): void {
    this.pause();
    fresh('learn');
    fresh('step');
    soon('learn', () => void this.now(), 15);
  }

  private async now(): Promise<void> {
    if (!this.fine()) return;
    const signal = fresh('learn');
    fresh('step');
    const learner = state.learner;
    const s = this.plane.state;
    s.margins = learner === 'svm';
    s.C = learner === 'svm' ? 10 ** state.C : null;
    s.current = null;
    s.classes = classesOf(state.points);
    this.last = null;
    this.schedule = [];
    this.kept.clear();
    this.trail.clear();
    this.losses = [];
    if (s.classes.length < 2) {
      this.nothing(state.points.length === 0 ? 'Paint points of two classes or more, or make some.' : 'Paint points of another class, too.');
      return;
    }
    try {
      if (learner === 'perceptron') {
        const frame = await ask<Frame>('step', { ...this.request(), step: state.step ?? 0, bound: true }, signal);
        this.bound = frame.bound;
        this.schedule = Array.from({ length: Math.max(frame.total ?? 0, frame.step) + 1 }, (_, k) => k);
        this.show(frame);
        return;
      }
      for await (const frame of learn({ ...this.request(), passes: 2000 }, signal)) {
        if (frame.progress) continue;
        if (frame.losses) this.losses.push(...frame.losses);
        if (learner === 'gd') {
          this.kept.set(frame.step, frame);
          this.schedule.push(frame.step);
        }
        if (frame.done) {
          this.last = frame;
          this.schedule = learner === 'gd' ? [...new Set([0, ...this.schedule])] : (frame.schedule ?? [0, frame.step]);
        }
        if (state.step === null) this.show(frame);
      }
      if (state.step !== null) await this.to(state.step);
    } catch (error) {
      if (!cancelled(error)) this.nothing(words(error));
    }
  }

  private nothing(text: string): void {
    Object.assign(this.plane.state, { fields: [], winner: null, weights: null, wrong: [], current: null });
    this.plane.redraw();
    this.frame = null;
    element('status').textContent = text;
    element('alphas-body').textContent = '';
    this.changed();
  }

  // --- time

  private async at(step: number, signal: AbortSignal): Promise<Frame> {
    const known = this.kept.get(step) ?? (this.last && step >= this.last.step ? this.last : null);
    return known ?? (await ask<Frame>('step', { ...this.request(), step }, signal));
  }
  private arrive(frame: Frame): void {
    const atEnd = state.learner !== 'perceptron' && this.last !== null && frame.step >= this.last.step;
    state.step = atEnd ? null : frame.step;
    remember();
    this.show(frame);
  }
  private async to(step: number): Promise<void> {
    const signal = fresh('step');
    try {
      this.arrive(await this.at(step, signal));
    } catch (error) {
      if (!cancelled(error)) element('status').textContent = words(error);
    }
  }

  private by(steps: number): void {
    this.pause();
    if (!this.frame) return;
    if (steps > 0 && this.isEnd(this.frame)) return;
    void this.to(Math.max(0, this.frame.step + steps));
  }

  private isEnd(frame: Frame): boolean {
    return state.learner === 'perceptron' ? frame.ended === true : this.last !== null && frame.step >= this.last.step;
  }

  pause(): void {
    this.running = false;
    element('run').setAttribute('aria-pressed', 'false');
    element('run').textContent = 'Run';
    element('status').setAttribute('aria-live', 'polite');
  }

  // From where it is, or from the beginning where it is at its end; as fast as one can follow.
  private async run(): Promise<void> {
    if (!this.frame) return;
    this.running = true;
    element('run').setAttribute('aria-pressed', 'true');
    element('run').textContent = 'Pause';
    element('status').setAttribute('aria-live', 'off');
    const signal = fresh('step');
    try {
      if (this.isEnd(this.frame)) this.arrive(await this.at(0, signal));
      // The next frame is on its way while this one is drawn and looked at.
      let coming = this.at(this.next(this.frame.step), signal);
      while (this.running && !this.isEnd(this.frame)) {
        const began = performance.now();
        const before: number = this.frame.step;
        const frame = await coming;
        if (signal.aborted || !this.running) break;
        this.arrive(frame);
        if (frame.step === before || this.isEnd(frame)) break;
        coming = this.at(this.next(frame.step), signal);
        coming.catch(() => undefined); // it may not be wanted any more
        const left = 33 - (performance.now() - began);
        await new Promise((resolve) => (left > 4 ? setTimeout(resolve, left) : requestAnimationFrame(resolve)));
      }
    } catch (error) {
      if (!cancelled(error)) element('status').textContent = words(error);
    }
    if (!signal.aborted) this.pause();
  }
  private next(step: number): number {
    if (state.learner === 'perceptron') return step + Math.max(1, Math.round(state.points.length / 20));
    return this.schedule.find((s) => s > step) ?? step + 1;
  }

  // --- showing

  private show(frame: Frame): void {
    this.frame = frame;
    const s = this.plane.state;
    s.cells = this.cells();
    const values = frame.field ? floats(frame.field) : new Float32Array();
    const size = s.cells * s.cells;
    s.fields = Array.from({ length: Math.floor(values.length / size) }, (_, k) => values.subarray(k * size, (k + 1) * size));
    s.winner = frame.winner ? bytes(frame.winner) : null;
    s.weights = state.points.map((_, i) => frame.beta.reduce((most, column) => Math.max(most, Math.abs(column[i])), 0));
    s.wrong = frame.step > 0 ? frame.wrong : [];
    s.current = frame.last && frame.step > 0 ? frame.last.example : null;
    s.mistaken = frame.last?.mistaken ?? false;
    this.plane.redraw();
    const value = state.learner === 'svm' ? frame.violation : state.learner === 'ridge' ? frame.residual : undefined;
    if (value !== undefined && frame.step > 0) this.trail.set(frame.step, value);
    this.tell(frame);
    this.showTime(frame);
    this.showAlphas();
    this.changed();
  }

  private showTime(frame: Frame): void {
    const slider = input('time');
    slider.max = String(Math.max(0, this.schedule.length - 1));
    let at = 0;
    while (at + 1 < this.schedule.length && this.schedule[at + 1] <= frame.step) ++at;
    slider.value = String(at);
    const unit = units[state.learner];
    slider.setAttribute('aria-valuetext', `${unit} ${frame.step}`);
    element('time-value').textContent = `${unit} ${frame.step}`;
    element<HTMLButtonElement>('back').disabled = element<HTMLButtonElement>('rewind').disabled = frame.step === 0;
    element<HTMLButtonElement>('step').disabled = element<HTMLButtonElement>('pass').disabled = this.isEnd(frame);
  }

  private tell(frame: Frame): void {
    const end = this.isEnd(frame);
    const wrong = `${frame.mistakes} of ${many(state.points.length, 'point')} on the wrong side`;
    const parts: string[] = [];
    if (frame.step === 0 && state.learner !== 'perceptron') {
      parts.push('Nothing is learned yet: all α are 0, and so is every score');
    } else if (state.learner === 'svm') {
      if (!end) parts.push(`after ${many(frame.step, 'move')} the conditions of the optimum are violated by ${short(frame.violation ?? 0)}`);
      parts.push(`${many(frame.support ?? 0, 'support vector')}, ${frame.bounded} at the bound α = C`);
      if (frame.margin) parts.push(`margin ${short(frame.margin)}`);
      if (frame.slack) parts.push(`slack Σξ = ${short(frame.slack)}`);
      parts.push(wrong);
    } else if (state.learner === 'ridge') {
      parts.push(end ? 'solved' : `after ${many(frame.step, 'iteration')} the residual is ${short(frame.residual ?? 0)}`, wrong);
    } else if (state.learner === 'gd') {
      parts.push(`loss ${short(frame.loss ?? 0)} after ${many(frame.step, 'pass')}`, wrong);
      if (end) parts.push(frame.end === 'converged' ? 'it hardly falls any more' : frame.end === 'passes' ? 'more passes would go on' : frame.end === 'seconds' ? 'stopped, since it takes long' : 'it diverged');
    } else {
      element('status').textContent = this.aboutVisit(frame);
      return;
    }
    // Of gradient descent it says the same again, but for what went wrong.
    if (frame.message && (frame.end === 'diverged' || (end && state.learner !== 'gd'))) parts.push(frame.message);
    const text = parts.join('; ');
    element('status').textContent = text.charAt(0).toUpperCase() + text.slice(1) + '.';
  }

  private aboutVisit(p: Frame): string {
    const last = p.last;
    const whose = last && p.scores.length > 1 && last.mistaken ? ` of ${last.classes.map(nameOf).join(' and ')}` : '';
    const visit = last && p.step > 0
      ? `Pass ${p.pass}, example ${last.example + 1}: ${last.mistaken ? `a mistake${whose}, α grows` : 'right'}. ` : '';
    const limit = this.bound ? `; never more than (R/γ)² = ${short(this.bound.mistakes)}` : '; not separable: it never ends';
    const end = p.converged ? ' A pass without a mistake: done.' : p.ended ? ' That is enough.' : '';
    return `${visit}${many(p.updates ?? 0, 'mistake')} so far${limit}.${end}`;
  }

  // Only where it is looked at: there may be thousands.
  showAlphas(): void {
    const box = element('alphas-body');
    const frame = this.frame;
    if (!frame || !element<HTMLDetailsElement>('alphas').open) return;
    // Of gradient descent and ridge regression α has a sign; of the others α ≥ 0, times y_i.
    const signed = state.learner === 'gd' || state.learner === 'ridge';
    const alpha = frame.beta.map((column) => column.map((b) => (signed ? b : Math.abs(b))));
    box.dataset.alpha = JSON.stringify(alpha);
    const rows = state.points.map((_, i) => i).filter((i) => alpha.some((column) => column[i] !== 0));
    const text = (i: number): string => {
      const all = alpha.map((column) => short(column[i]));
      return `α${i + 1} = ${all.length === 1 ? all[0] : `(${all.join(', ')})`}`;
    };
    box.textContent = rows.length === 0 ? 'all 0'
      : (alpha.length > 1 ? `for ${frame.scores.join(', ')}: ` : '') + rows.slice(0, 300).map(text).join(', ') + (rows.length > 300 ? ', …' : '');
  }

  // What there is to say about a point.
  about(i: number): string {
    const [x, y, label] = state.points[i];
    const f = this.frame;
    let text = `point ${i + 1} at (${short(x)}, ${short(y)}), class ${nameOf(label)}`;
    if (!f || f.beta[0]?.length !== state.points.length) return text;
    text += `; α = ${f.beta.map((column) => short(Math.abs(column[i]))).join(', ')}`;
    if (f.outputs) {
      text += `; score ${short(f.outputs[i])}`;
      const side = (label === this.plane.state.classes[1] ? 1 : -1) * f.outputs[i];
      if (state.learner === 'svm' && side < 0.999) text += `, slack ξ = ${short(1 - side)}`;
    }
    return text;
  }
}
