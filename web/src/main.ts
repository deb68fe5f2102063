import './style.css';
import {
  about, ask, floats, learn, Refused,
  type Derivation, type Frame, type GramView, type Lift, type Parsed, type PerceptronState, type Point, type Proof,
} from './api';
import { fitted, faint, ink, ticks } from './canvas';
import { css, negative, positive } from './colours';
import { GramPanel } from './gram';
import { LiftView } from './lift';
import { lessons, type Lesson } from './lessons';
import { fitView, Plane, view } from './plane';

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const input = (id: string): HTMLInputElement => element<HTMLInputElement>(id);

type Learner = Lesson['learner'];
type Tab = Lesson['tab'];

// All that an address says; everything else follows from it.
interface State {
  points: Point[];
  kernel: string;
  learner: Learner;
  C: number; // powers of ten, as the sliders have them
  lambda: number;
  map: string;
  tab: Tab;
  visits: number;
}
const state: State = {
  points: [], kernel: 'rbf(1)', learner: 'svm', C: 1, lambda: -1, map: '', tab: 'lift', visits: 0,
};

const plane = new Plane(element<HTMLCanvasElement>('plane'));
const lift = new LiftView(element<HTMLCanvasElement>('lift'));
const gram = new GramPanel(element<HTMLCanvasElement>('gram'), (text) => {
  element('gram-note').textContent = text || (gram.data?.note ?? '');
});
let kernelIsFine = false;
let frames: Frame[] = []; // of gradient descent, for going back in time
let losses: number[] = [];
let perceptron: PerceptronState | null = null;
let running = false;

// --- one question of a kind at a time: a newer one cancels the older one

const controllers = new Map<string, AbortController>();
function fresh(kind: string): AbortSignal {
  controllers.get(kind)?.abort();
  const controller = new AbortController();
  controllers.set(kind, controller);
  return controller.signal;
}
const cancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

const timers = new Map<string, number>();
function soon(kind: string, action: () => void, wait = 60): void {
  clearTimeout(timers.get(kind));
  timers.set(kind, window.setTimeout(action, wait));
}

// --- state and address

const saved = (): string =>
  btoa(unescape(encodeURIComponent(JSON.stringify({ ...state, points: state.points.flat() }))))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

function restore(text: string): boolean {
  try {
    const json = decodeURIComponent(escape(atob(text.replace(/-/g, '+').replace(/_/g, '/'))));
    const found = JSON.parse(json) as Omit<State, 'points'> & { points: number[] };
    const points: Point[] = [];
    for (let k = 0; k + 2 < found.points.length; k += 3)
      points.push([found.points[k], found.points[k + 1], found.points[k + 2] > 0 ? 1 : -1]);
    Object.assign(state, found, { points });
    return true;
  } catch {
    return false;
  }
}
function remember(): void {
  soon('address', () => history.replaceState(null, '', '#' + saved()), 300);
}

const rounded = (v: number): number => Math.round(v * 1000) / 1000;
const undo: Point[][] = [];
function setPoints(points: Point[], keep = true): void {
  if (keep) {
    undo.push(state.points);
    if (undo.length > 200) undo.shift();
  }
  element<HTMLButtonElement>('undo').disabled = undo.length === 0;
  state.points = points;
  state.visits = 0;
  plane.state.points = points;
  fitView(points);
  // What was learned is about other points.
  plane.state.beta = null;
  plane.state.current = null;
  plane.redraw();
  remember();
  relearn();
}

// --- the kernel

function showKernelError(error: Refused | null): void {
  const box = element('kernel-error');
  input('kernel').setAttribute('aria-invalid', String(error !== null));
  box.hidden = error === null;
  if (!error) return;
  box.textContent = '';
  if (error.begin === undefined || error.end === undefined) {
    box.textContent = error.message;
    return;
  }
  // Places are told in bytes.
  const bytes = new TextEncoder().encode(state.kernel);
  const part = (a: number, b?: number): string => new TextDecoder().decode(bytes.slice(a, b));
  const mark = document.createElement('mark');
  mark.textContent = part(error.begin, error.end) || ' ';
  box.append(part(0, error.begin), mark, part(error.end),
    '\n' + error.message + (error.suggestion ? `; did you mean ${error.suggestion}?` : ''));
}

function proofTree(step: Derivation): HTMLUListElement {
  const list = document.createElement('ul');
  const item = document.createElement('li');
  item.append(`${step.subject} ${step.claim} — ${step.rule}`);
  if (step.statement) item.title = step.statement;
  for (const premise of step.premises) item.append(proofTree(premise));
  list.append(item);
  return list;
}

const value = (text: string): number => {
  const [a, b] = text.split('/').map(Number);
  return b === undefined ? a : a / b;
};

function showProof(proof: Proof | null): void {
  const box = element('verdict');
  const body = element('proof-body');
  body.textContent = '';
  box.dataset.kernel = proof?.kernel ?? '';
  plane.state.witness = [];
  if (!proof) {
    box.textContent = '…';
    box.className = '';
  } else if (proof.verdict === 'kernel') {
    box.textContent = '✓ a kernel on R²';
    box.className = 'yes';
    body.append(proofTree(proof.proof!));
  } else if (proof.verdict === 'not a kernel') {
    box.textContent = '✗ not a kernel on R²';
    box.className = 'no';
    const w = proof.witness!;
    const lines = w.points.map((p, i) =>
      (w.coefficients[i] ? `a${i + 1} = ${w.coefficients[i]}, ` : '') + `x${i + 1} = (${p.join(', ')})`);
    lines.unshift(w.coefficients.length > 0
      ? `Σ a_i a_j k(x_i, x_j) = ${w.value} < 0 for` : `k(x,z) = ${w.values[0]}, k(z,x) = ${w.values[1]} at`);
    for (const line of lines) {
      const div = document.createElement('div');
      div.textContent = line;
      body.append(div);
    }
    plane.state.witness = w.points.map((p, i) => ({
      x: value(p[0]), y: value(p[1] ?? '0'), text: w.coefficients[i] ? `a = ${w.coefficients[i]}` : '',
    }));
  } else {
    box.textContent = '? unknown whether it is a kernel on R²';
    box.className = '';
    body.textContent = (proof.tried ?? []).join('; ');
  }
  plane.redraw();
}

async function kernelChanged(): Promise<void> {
  state.kernel = input('kernel').value;
  state.visits = 0;
  remember();
  showGamma();
  const signal = fresh('kernel');
  const body = { kernel: state.kernel };
  try {
    const parsed = await ask<Parsed>('kernel', body, signal);
    kernelIsFine = true;
    showKernelError(null);
    element('formula').textContent = parsed.formula === state.kernel ? '' : '= ' + parsed.formula;
    const f = parsed.features;
    element('features-body').textContent =
      f.map.length === 0 ? f.reason || 'not known'
        : `φ(x) = [${f.map.join(', ')}${f.complete && f.kind === 'finite' ? '' : ', …'}]` +
          (f.kind === 'finite' ? `, ${f.count} in all` : ', infinitely many');
    showProof(null);
    relearn();
    showProof(await ask<Proof>('proof', body, signal));
  } catch (error) {
    if (cancelled(error)) return;
    if (!kernelIsFine || (error instanceof Refused && error.begin !== undefined)) {
      kernelIsFine = false;
      fresh('learn'); // what runs is about another kernel
    }
    showKernelError(error instanceof Refused ? error : new Refused(String(error)));
    showProof(null);
    element('verdict').textContent = '';
  }
}

// γ is the first number of rbf, laplacian or chi2 in the text.
const gammaPlace = /\b(?:rbf|laplacian|chi2)\(\s*(?:gamma\s*=\s*)?([0-9.]+(?:e[-+]?[0-9]+)?)/i;
function showGamma(): void {
  const found = gammaPlace.exec(state.kernel);
  input('gamma').disabled = !found;
  element('gamma-value').textContent = found ? found[1] : '—';
  if (found) input('gamma').value = String(Math.log10(Number(found[1])));
}
function setGamma(): void {
  const gamma = String(Number((10 ** Number(input('gamma').value)).toPrecision(2)));
  input('kernel').value = state.kernel.replace(gammaPlace, (whole, old: string) =>
    whole.slice(0, whole.length - old.length) + gamma);
  void kernelChanged();
}

// --- learning

const cells = (): number => (state.points.length > 600 ? 60 : 90);
const problem = (): object => ({ points: state.points, kernel: state.kernel, view, cells: cells() });
const say = (text: string): void => void (element('status').textContent = text);
const short = (v: number): string => (Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(Number(v.toPrecision(4))));

function showFrame(frame: Frame): void {
  plane.state.field = frame.field ? floats(frame.field) : null;
  plane.state.cells = cells();
  plane.state.beta = frame.beta;
  plane.redraw();
  const list = frame.beta.map((b, i) => [b, i] as const).filter(([b]) => b !== 0);
  element('alphas-body').textContent = list.slice(0, 300)
    .map(([b, i]) => `α${i + 1} = ${short(Math.abs(b))}`).join(', ') + (list.length > 300 ? ', …' : '');
}

function relearn(): void {
  pause();
  // Whatever runs is about what was there before.
  fresh('learn');
  soon('learn', () => void learnNow(), 15);
  soon('views', () => void showViews(), 120);
}

async function learnNow(): Promise<void> {
  if (!kernelIsFine) return;
  const signal = fresh('learn');
  const learner = state.learner;
  plane.state.margins = learner === 'svm';
  plane.state.C = learner === 'svm' ? 10 ** state.C : null;
  plane.state.current = null;
  frames = [];
  losses = [];
  perceptron = null;
  if (new Set(state.points.map((p) => p[2])).size < 2) {
    plane.state.field = null;
    plane.redraw();
    say(state.points.length === 0 ? 'Paint points of both classes, or make some.' : 'Paint points of the other class, too.');
    return;
  }
  try {
    if (learner === 'perceptron') {
      await visit(state.visits, true);
      return;
    }
    const request = { ...problem(), learner, C: 10 ** state.C, lambda: 10 ** state.lambda, passes: 2000 };
    for await (const frame of learn(request, signal)) {
      if (frame.progress) continue;
      if (frame.losses) losses.push(...frame.losses);
      if (learner === 'gd') addFrame(frame);
      else showFrame(frame);
      if (frame.done) sayDone(frame, learner);
    }
    drawHistory();
  } catch (error) {
    if (cancelled(error)) return;
    plane.state.field = null;
    plane.redraw();
    say(error instanceof Error ? error.message : String(error));
  }
}

function sayDone(frame: Frame, learner: Learner): void {
  const wrong = `${frame.mistakes} of ${state.points.length} points on the wrong side`;
  if (learner === 'svm')
    say(`${frame.support} support vectors, ${frame.bounded} of them at C; ` +
      (frame.margin ? `margin ${short(frame.margin)}; ` : '') + wrong + (frame.message ? `; ${frame.message}` : ''));
  else if (learner === 'ridge') say(wrong + (frame.message ? `; ${frame.message}` : ''));
  else say(`loss ${short(losses[losses.length - 1] ?? 0)} after ${frame.pass} passes, step ${short(frame.step ?? 0)}; ${wrong}` +
    (frame.end === 'diverged' ? '; diverged' : ''));
}

function addFrame(frame: Frame): void {
  const slider = input('time');
  const last = Number(slider.value) === frames.length - 1 || frames.length === 0;
  frames.push(frame);
  slider.max = String(frames.length - 1);
  if (last) {
    slider.value = slider.max;
    showFrame(frame);
    element('time-value').textContent = String(frame.pass ?? '');
  }
  if (!frame.done) say(`pass ${frame.pass}: loss ${short(losses[losses.length - 1] ?? 0)}`);
  drawHistory();
}

// The perceptron after so many examples; the bound is asked for once.
let bound: PerceptronState['bound'];
async function visit(visits: number, withBound = false): Promise<void> {
  const signal = fresh('learn');
  const p = await ask<PerceptronState>('perceptron', { ...problem(), visits, bound: withBound }, signal);
  if (withBound) bound = p.bound;
  perceptron = p;
  state.visits = p.visits;
  remember();
  plane.state.current = p.last ? p.last.example : null;
  plane.state.mistaken = p.last?.mistaken ?? false;
  showFrame(p);
  const limit = bound ? `; never more than (R/γ)² = ${short(bound.mistakes)}` : '; not separable: it never ends';
  say((p.last ? `pass ${p.pass}, example ${p.last.example + 1}: ${p.last.mistaken ? 'a mistake, α grows' : 'right'}. ` : '') +
    `${p.updates} mistakes so far${limit}.` + (p.converged ? ' A pass without a mistake: done.' : ''));
  drawHistory();
}

function pause(): void {
  running = false;
  element('run').setAttribute('aria-pressed', 'false');
  element('run').textContent = 'Run';
}
async function advance(count: number): Promise<void> {
  if (!perceptron || perceptron.ended) return;
  try {
    await visit(state.visits + count);
  } catch (error) {
    if (!cancelled(error)) say(String(error));
  }
}
async function run(): Promise<void> {
  running = true;
  element('run').setAttribute('aria-pressed', 'true');
  element('run').textContent = 'Pause';
  while (running && perceptron && !perceptron.ended) {
    const before = state.visits;
    await advance(Math.max(1, Math.round(state.points.length / 20)));
    if (state.visits === before) break;
    await new Promise((resolve) => setTimeout(resolve, 12));
  }
  pause();
}

// --- the views at the right

async function showViews(): Promise<void> {
  if (!kernelIsFine || state.points.length === 0) return;
  const signal = fresh('views');
  const body = { points: state.points, kernel: state.kernel };
  if (state.tab === 'history') return drawHistory();
  const note = element(state.tab === 'lift' ? 'lift-note' : 'gram-note');
  try {
    if (state.tab === 'lift') {
      const map = state.map.trim();
      lift.data = await ask<Lift>('lift', map ? { ...body, map } : body, signal);
      lift.points = state.points;
      note.textContent = lift.data.note;
      lift.redraw();
    } else {
      gram.data = await ask<GramView>('gram', body, signal);
      note.textContent = gram.data.note;
      gram.redraw();
    }
  } catch (error) {
    if (cancelled(error)) return;
    if (state.tab === 'lift') lift.data = null;
    else gram.data = null;
    lift.redraw();
    gram.redraw();
    note.textContent = error instanceof Error ? error.message : String(error);
  }
}

const drawHistory = fitted(element<HTMLCanvasElement>('history'), (c, width, height) => {
  const note = element('history-note');
  const values = state.learner === 'perceptron' ? (perceptron?.by_pass ?? []) : losses;
  if (values.length === 0) {
    note.textContent = 'The perceptron has mistakes by pass, and gradient descent a loss.';
    return;
  }
  const counts = state.learner === 'perceptron';
  note.textContent = counts ? 'mistakes by pass' : 'loss by pass';
  const box = { x: 50, y: 8, w: width - 60, h: height - 34 };
  const high = Math.max(...values, 1e-300);
  const low = counts ? 0 : Math.min(...values);
  const log = !counts && low > 0 && high > 30 * low;
  const on = (v: number): number => (log ? Math.log(v) : v);
  const y = (v: number): number =>
    box.y + box.h * (1 - (on(v) - on(low)) / (on(high) - on(low) || 1));
  const x = (k: number): number => box.x + (box.w * (k + 0.5)) / values.length;
  c.strokeStyle = faint();
  c.fillStyle = ink();
  c.font = '11px system-ui, sans-serif';
  c.textAlign = 'right';
  for (const t of log ? [low, Math.sqrt(low * high), high] : ticks(low, high, 5)) {
    if (counts && t !== Math.round(t)) continue;
    c.beginPath();
    c.moveTo(box.x, y(t));
    c.lineTo(box.x + box.w, y(t));
    c.stroke();
    c.fillText(short(t), box.x - 6, y(t) + 4);
  }
  c.textAlign = 'center';
  for (const t of ticks(1, Math.max(2, values.length), 6))
    if (t === Math.round(t)) c.fillText(String(t), x(t - 1), box.y + box.h + 16);
  c.fillStyle = css(positive);
  c.strokeStyle = css(negative);
  c.lineWidth = 2;
  if (counts) {
    const wide = Math.max(1, (box.w / values.length) * 0.7);
    values.forEach((v, k) => c.fillRect(x(k) - wide / 2, y(v), wide, box.y + box.h - y(v)));
  } else {
    c.beginPath();
    values.forEach((v, k) => c.lineTo(x(k), y(v)));
    c.stroke();
  }
});

function showTab(tab: Tab): void {
  state.tab = tab;
  for (const name of ['lift', 'gram', 'history']) {
    element('tab-' + name).setAttribute('aria-selected', String(name === tab));
    element('panel-' + name).hidden = name !== tab;
  }
  remember();
  void showViews();
}

function showLearner(): void {
  element<HTMLSelectElement>('learner').value = state.learner;
  document.querySelectorAll<HTMLElement>('[data-for]').forEach((e) => {
    e.hidden = e.dataset.for !== state.learner;
  });
  for (const name of ['C', 'lambda'] as const) {
    input(name).value = String(state[name]);
    element(name + '-value').textContent = short(10 ** state[name]);
  }
}

// --- hands: mouse, touch, keys, buttons

const brush = (): number => Number((document.querySelector('input[name=brush]:checked') as HTMLInputElement).value);
function paint(at: [number, number], what = brush()): void {
  if (what === 0) {
    const i = plane.near(at);
    if (i >= 0) setPoints(state.points.filter((_, k) => k !== i));
  } else {
    setPoints([...state.points, [rounded(at[0]), rounded(at[1]), what > 0 ? 1 : -1]]);
  }
}

function connect(): void {
  const canvas = plane.canvas;
  let dragged = -1;
  let before: Point[] = [];
  canvas.addEventListener('contextmenu', (e) => e.preventDefault());
  canvas.addEventListener('pointerdown', (e) => {
    const at = plane.at(e);
    dragged = e.button === 0 && brush() !== 0 ? plane.near(at) : -1;
    before = state.points;
    if (dragged >= 0) canvas.setPointerCapture(e.pointerId);
    else paint(at, e.button === 2 ? 0 : e.shiftKey ? -brush() : brush());
  });
  canvas.addEventListener('pointermove', (e) => {
    if (dragged < 0) return;
    const at = plane.at(e);
    setPoints(state.points.map((p, i) => (i === dragged ? [rounded(at[0]), rounded(at[1]), p[2]] : p)), false);
  });
  canvas.addEventListener('pointerup', () => {
    if (dragged >= 0 && before !== state.points) {
      undo.push(before);
      element<HTMLButtonElement>('undo').disabled = false;
    }
    dragged = -1;
  });
  canvas.addEventListener('keydown', (e) => {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1],
    };
    const unit = [(view[1] - view[0]) / 6, (view[3] - view[2]) / 6];
    const [x, y] = plane.state.cursor ?? [(view[0] + view[1]) / 2, (view[2] + view[3]) / 2];
    if (moves[e.key]) plane.state.cursor = [rounded(x + moves[e.key][0] * unit[0]), rounded(y + moves[e.key][1] * unit[1])];
    else if (e.key === '1') paint([x, y], -1);
    else if (e.key === '2') paint([x, y], 1);
    else if (e.key === 'Delete') paint([x, y], 0);
    else return;
    e.preventDefault();
    plane.state.cursor ??= [x, y];
    plane.redraw();
  });
  canvas.addEventListener('blur', () => {
    plane.state.cursor = null;
    plane.redraw();
  });

  const click = (id: string, action: () => void): void => element(id).addEventListener('click', action);
  click('make', () => void make(element<HTMLSelectElement>('kind').value, Number(input('n').value), Number(input('noise').value)));
  click('undo', () => {
    const last = undo.pop();
    if (last) setPoints(last, false);
  });
  click('clear', () => setPoints([]));
  click('step', () => void (pause(), advance(1)));
  click('pass', () => void (pause(), advance(state.points.length - (state.visits % state.points.length))));
  click('run', () => void (running ? pause() : run()));
  click('rewind', () => {
    pause();
    void visit(0).catch(() => undefined);
  });
  click('share', () => {
    history.replaceState(null, '', '#' + saved());
    void navigator.clipboard?.writeText(location.href).then(() => say('The address is copied.'), () => undefined);
  });
  click('export', () => {
    const text = 'x1,x2,class\n' + state.points.map((p) => p.join(',')).join('\n') + '\n';
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = 'points.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  });
  input('load').addEventListener('change', () => void load());
  input('kernel').addEventListener('input', () => soon('kernel', () => void kernelChanged(), 120));
  input('gamma').addEventListener('input', setGamma);
  for (const name of ['C', 'lambda'] as const)
    input(name).addEventListener('input', () => {
      state[name] = Number(input(name).value);
      showLearner();
      remember();
      relearn();
    });
  input('time').addEventListener('input', () => {
    const frame = frames[Number(input('time').value)];
    if (!frame) return;
    showFrame(frame);
    element('time-value').textContent = String(frame.pass ?? '');
  });
  element('learner').addEventListener('change', () => {
    state.learner = element<HTMLSelectElement>('learner').value as Learner;
    state.visits = 0;
    showLearner();
    remember();
    relearn();
  });
  input('map').addEventListener('input', () => {
    state.map = input('map').value;
    remember();
    soon('views', () => void showViews(), 150);
  });
  for (const tab of ['lift', 'gram', 'history'] as const) click('tab-' + tab, () => showTab(tab));
  element('lesson').addEventListener('change', () => {
    const lesson = lessons[Number(element<HTMLSelectElement>('lesson').value)];
    if (lesson) void teach(lesson);
  });
}

async function make(kind: string, n: number, noise?: number): Promise<void> {
  try {
    const made = await ask<{ points: Point[] }>('made', { kind, n, ...(noise === undefined ? {} : { noise }) });
    setPoints(made.points);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

async function load(): Promise<void> {
  const file = input('load').files?.[0];
  if (!file) return;
  try {
    setPoints((await ask<{ points: Point[] }>('text', { text: await file.text() })).points);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
  input('load').value = '';
}

function showAll(): void {
  input('kernel').value = state.kernel;
  input('map').value = state.map;
  showLearner();
  plane.state.points = state.points;
  fitView(state.points);
  showTab(state.tab);
  void kernelChanged();
}

async function teach(lesson: Lesson): Promise<void> {
  element('lesson-text').hidden = false;
  element('lesson-text').textContent = lesson.text;
  const points = lesson.points ??
    (await ask<{ points: Point[] }>('made', { kind: lesson.data!.kind, n: lesson.data!.n })).points;
  Object.assign(state, { kernel: lesson.kernel, learner: lesson.learner, map: lesson.map ?? '', tab: lesson.tab, visits: 0 });
  setPoints(points);
  showAll();
}

async function begin(): Promise<void> {
  const info = await about();
  const kinds = element<HTMLSelectElement>('kind');
  for (const d of info.data) kinds.add(new Option(d.name, d.name));
  kinds.addEventListener('change', () => {
    input('noise').value = String(info.data.find((d) => d.name === kinds.value)?.noise ?? 0.1);
  });
  for (const k of info.kernels) {
    const option = document.createElement('option');
    const values = k.parameters.filter((p) => p.default).map((p) => p.default).join(', ');
    option.value = values ? `${k.name}(${values})` : k.name;
    option.textContent = k.formula || k.summary;
    element('kernels').append(option);
  }
  const select = element<HTMLSelectElement>('lesson');
  select.add(new Option('choose …', ''));
  lessons.forEach((l, i) => select.add(new Option(l.title, String(i))));
  connect();
  const visits = location.hash.length > 1 && restore(location.hash.slice(1)) ? state.visits : -1;
  if (visits < 0)
    state.points = info.start?.points ?? (await ask<{ points: Point[] }>('made', { kind: 'moons', n: 80 })).points;
  showAll();
  if (visits > 0) state.visits = visits;
  document.documentElement.dataset.ready = 'true';
}

window.addEventListener('hashchange', () => {
  if (restore(location.hash.slice(1))) showAll();
});
void begin();
