import './style.css';
import { about, ask, type About, type GramView, type Lift, type MapKernel, type Point, type PointList } from './api';
import { css, ofClass, signOf } from './colours';
import { aboutEigenvalues, GramPanel } from './gram';
import { History } from './history';
import { KernelPanel } from './kernel';
import { Learning } from './learning';
import { lessons, type Part } from './lessons';
import { Axes } from './axes';
import { LiftView } from './lift';
import { cancelled, element, fresh, input, maths, short, soon, words } from './page';
import { fitView, Plane, view } from './plane';
import { boxes, classesOf, nameOf, remember, restore, saved, state, tabs, type Learner, type Tab } from './state';

let info: About;
let kernel: KernelPanel;
const plane = new Plane(element<HTMLCanvasElement>('plane'));
const lift = new LiftView(element<HTMLCanvasElement>('lift'));
let axes: Axes;
const gram = new GramPanel(element<HTMLCanvasElement>('gram'), (text) => {
  element('gram-note').textContent = text || (gram.data?.note ?? '');
});
const learning = new Learning(plane, () => kernel.fine, () => history_.redraw());
const history_ = new History(element<HTMLCanvasElement>('history'), element('history-note'), learning);

function relearn(): void {
  learning.again();
  soon('views', () => void showViews(), 120);
}

// --- data

const rounded = (v: number): number => Math.round(v * 1000) / 1000;
const undo: { points: Point[]; names: Record<string, string> }[] = [];
const note = (text: string): void => void (element('data-note').textContent = text);

function keep(points: Point[] = state.points): void {
  undo.push({ points, names: state.names });
  if (undo.length > 200) undo.shift();
}

let held = false; // by the mouse, under which the plane is not to move

function setPoints(points: Point[]): void {
  element<HTMLButtonElement>('undo').disabled = undo.length === 0;
  note('');
  state.points = points;
  state.step = state.learner === 'perceptron' ? 0 : null;
  plane.state.points = points;
  if (!held) fitView(points, plane.state.witness);
  // What was learned is about other points.
  Object.assign(plane.state, { weights: null, wrong: [], current: null });
  plane.redraw();
  showBrushes();
  remember();
  relearn();
}

function take(list: PointList): void {
  keep();
  state.names = {};
  for (const c of list.classes) if (String(c.label) !== c.name) state.names[c.label] = c.name;
  setPoints(list.points);
}

let brushed = -1; // a label, or 0 to erase
function showBrushes(): void {
  const box = element('brushes');
  const there = classesOf(state.points);
  // Those that are there, the first two, and one more to go on with.
  const more = info.labels.find((l, k) => k > 1 && !there.includes(l));
  const shown = info.labels.filter((l, k) => k < 2 || there.includes(l) || l === more);
  const key = shown.map((l) => `${l} ${nameOf(l)}`).join();
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  box.textContent = '';
  const add = (value: number, draw: (label: HTMLElement) => void): void => {
    const label = document.createElement('label');
    const radio = document.createElement('input');
    Object.assign(radio, { type: 'radio', name: 'brush', value: String(value), checked: value === brushed });
    radio.addEventListener('change', () => (brushed = value));
    label.append(radio, ' ');
    draw(label);
    box.append(label);
  };
  for (const l of shown)
    add(l, (label) => {
      const sign = document.createElement('b');
      sign.textContent = signOf(l);
      sign.style.color = css(ofClass(l));
      label.append(sign, ' ' + nameOf(l));
    });
  add(0, (label) => label.append('erase'));
}

// One more point, or one less; `keeping`: as something to take back by itself.
function paint(at: [number, number], what = brushed, keeping = true): void {
  if (what === 0) {
    const i = plane.near(at);
    if (i < 0) return;
    if (keeping) keep();
    setPoints(state.points.filter((_, k) => k !== i));
    return;
  }
  if (state.points.length >= info.limits.points) {
    note(`There are ${info.limits.points} points: as many as the studio takes.`);
    return;
  }
  if (keeping) keep();
  setPoints([...state.points, [rounded(at[0]), rounded(at[1]), what]]);
}

async function make(): Promise<void> {
  const kind = element<HTMLSelectElement>('kind').value;
  const classes = info.data.find((d) => d.name === kind)?.any_classes ? { classes: Number(input('classes').value) } : {};
  try {
    take(await ask<PointList>('made', { kind, n: Number(input('n').value), noise: Number(input('noise').value), ...classes }));
  } catch (error) {
    note(words(error));
  }
}

async function load(): Promise<void> {
  const file = input('load').files?.[0];
  if (!file) return;
  try {
    take(await ask<PointList>('text', { text: await file.text() }));
    note(`${state.points.length} points of ${file.name}`);
  } catch (error) {
    note(words(error).startsWith('the file:') ? file.name + words(error).slice('the file'.length) : `${file.name}: ${words(error)}`);
  }
  input('load').value = '';
}

// Names of classes as the file had them, labels otherwise.
function exported(): string {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  return 'x1,x2,class\n' + state.points.map(([x, y, l]) => `${x},${y},${cell(state.names[l] ?? String(l))}\n`).join('');
}

// --- the views at the right

async function showViews(): Promise<void> {
  if (!kernel.fine || state.points.length === 0) return;
  const signal = fresh('views');
  const body = { points: state.points, kernel: state.kernel };
  if (state.tab === 'history') return history_.redraw();
  const text = element(state.tab === 'lift' ? 'lift-note' : 'gram-note');
  try {
    if (state.tab === 'lift') {
      const map = state.map.trim();
      axes.show(kernel.features, map);
      element('map-kernel').textContent = '';
      if (map) {
        const k = await ask<MapKernel>('map', { map }, signal);
        element('map-kernel').append(`φ(x)·φ(z) = `, maths(k.mathml, k.formula), `, of ${k.count} feature${k.count === 1 ? '' : 's'}`);
      }
      lift.data = await ask<Lift>('lift', map ? { ...body, map } : body, signal);
      text.textContent = lift.data.note;
      lift.redraw();
    } else {
      gram.data = await ask<GramView>('gram', body, signal);
      gram.data.note += aboutEigenvalues(gram.data);
      text.textContent = gram.data.note;
      gram.redraw();
    }
  } catch (error) {
    if (cancelled(error)) return;
    if (state.tab === 'lift') lift.data = null;
    else gram.data = null;
    lift.redraw();
    gram.redraw();
    text.textContent = words(error);
  }
}

function showTab(tab: Tab): void {
  state.tab = tab;
  for (const name of tabs) {
    element('tab-' + name).setAttribute('aria-selected', String(name === tab));
    element('tab-' + name).tabIndex = name === tab ? 0 : -1;
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

// Below the plane; aloud where keys asked for it, since a mouse asks all the time.
function tell(text: string, aloud: boolean): void {
  element('hint').setAttribute('aria-live', aloud ? 'polite' : 'off');
  element('hint').textContent = text;
}

function connectPlane(): void {
  const canvas = plane.canvas;
  let dragged = -1;
  let stroke: { what: number; last: PointerEvent } | null = null; // of the brush, until it is lifted
  let before: Point[] = [];
  const other = (): number => info.labels[(info.labels.indexOf(brushed) + 1) % 2];
  canvas.addEventListener('contextmenu', (e) => e.preventDefault());
  canvas.addEventListener('pointerdown', (e) => {
    const at = plane.at(e);
    dragged = e.button === 0 && brushed !== 0 ? plane.near(at) : -1;
    before = state.points;
    held = true;
    canvas.setPointerCapture(e.pointerId);
    if (dragged >= 0) return;
    stroke = { what: e.button === 2 ? 0 : e.shiftKey && brushed !== 0 ? other() : brushed, last: e };
    paint(at, stroke.what, false);
  });
  canvas.addEventListener('pointermove', (e) => {
    const at = plane.at(e);
    if (stroke) {
      // Points of a stroke keep apart, as far as a hand would set them.
      const apart = stroke.what === 0 ? 4 : 22;
      if (Math.hypot(e.clientX - stroke.last.clientX, e.clientY - stroke.last.clientY) < apart || !plane.seen(at)) return;
      stroke.last = e;
      paint(at, stroke.what, false);
      return;
    }
    if (dragged < 0) {
      const i = plane.near(at);
      tell(i < 0 ? `(${short(rounded(at[0]))}, ${short(rounded(at[1]))})` : learning.about(i), false);
      return;
    }
    setPoints(state.points.map((p, i) => (i === dragged ? [rounded(at[0]), rounded(at[1]), p[2]] : p)));
  });
  canvas.addEventListener('pointerleave', () => tell('', false));
  const drop = (): void => {
    dragged = -1;
    stroke = null;
    if (!held) return;
    held = false;
    if (before === state.points) return;
    const said = element('data-note').textContent ?? '';
    keep(before);
    setPoints(state.points);
    note(said);
  };
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
  canvas.addEventListener('keydown', (e) => {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1],
    };
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const unit = [(view[1] - view[0]) / 6, (view[3] - view[2]) / 6];
    const [x, y] = plane.state.cursor ?? [(view[0] + view[1]) / 2, (view[2] + view[3]) / 2];
    const label = /^[1-6]$/.test(e.key) ? info.labels[Number(e.key) - 1] : undefined;
    if (moves[e.key]) plane.state.cursor = [rounded(x + moves[e.key][0] * unit[0]), rounded(y + moves[e.key][1] * unit[1])];
    else if (label !== undefined) paint([x, y], label);
    else if (e.key === 'Delete' || e.key === 'Backspace') paint([x, y], 0);
    else return;
    e.preventDefault();
    plane.state.cursor ??= [x, y];
    const [a, b] = plane.state.cursor;
    const i = plane.near([a, b]);
    tell(i < 0 ? `(${short(a)}, ${short(b)})` : learning.about(i), true);
    plane.redraw();
  });
  canvas.addEventListener('blur', () => {
    plane.state.cursor = null;
    plane.redraw();
  });
}

function takeBack(): void {
  const last = undo.pop();
  if (!last) return;
  state.names = last.names;
  setPoints(last.points);
}

function connect(): void {
  connectPlane();
  const click = (id: string, action: () => void): void => element(id).addEventListener('click', action);
  click('make', () => void make());
  click('undo', takeBack);
  click('clear', () => {
    keep();
    state.names = {};
    setPoints([]);
  });
  document.addEventListener('keydown', (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === 'z' && !(e.target instanceof HTMLInputElement && e.target.type !== 'range')) {
      e.preventDefault();
      takeBack();
    }
  });
  click('share', () => {
    history.replaceState(null, '', '#' + saved());
    const done = (how: string): void => {
      element('share').textContent = how;
      soon('share', () => (element('share').textContent = 'Share'), 2500);
    };
    if (!navigator.clipboard) done('In the address bar');
    else navigator.clipboard.writeText(location.href).then(() => done('Copied'), () => done('In the address bar'));
  });
  click('export', () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([exported()], { type: 'text/csv' }));
    link.download = 'points.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  });
  click('load-button', () => input('load').click());
  input('load').addEventListener('change', () => void load());
  for (const name of ['C', 'lambda'] as const)
    input(name).addEventListener('input', () => {
      state[name] = Number(input(name).value);
      state.step = null;
      showLearner();
      remember();
      relearn();
    });
  element('learner').addEventListener('change', () => {
    state.learner = element<HTMLSelectElement>('learner').value as Learner;
    state.step = state.learner === 'perceptron' ? 0 : null;
    showLearner();
    remember();
    relearn();
  });
  input('map').addEventListener('input', () => {
    state.map = input('map').value;
    remember();
    soon('views', () => void showViews(), 150);
  });
  axes = new Axes(element('axes'), (map) => {
    input('map').value = state.map = map;
    remember();
    void showViews();
  });
  for (const [k, tab] of tabs.entries()) {
    click('tab-' + tab, () => showTab(tab));
    element('tab-' + tab).addEventListener('keydown', (e) => {
      const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? tabs.length - 1 : 0;
      if (by === 0) return;
      const next = tabs[(k + by) % tabs.length];
      showTab(next);
      element('tab-' + next).focus();
    });
  }
  for (const box of boxes)
    element(box).addEventListener('toggle', () => {
      state.open = boxes.filter((b) => element<HTMLDetailsElement>(b).open);
      remember();
      if (box === 'alphas') learning.showAlphas();
    });
}

// --- lessons

function connectLessons(): void {
  const select = element<HTMLSelectElement>('lesson');
  select.add(new Option('choose …', ''));
  for (const l of lessons) select.add(new Option(l.title, l.id));
  select.addEventListener('change', () => void teach(select.value, 0));
  element('lesson-next').addEventListener('click', () => void turnPage(1));
  element('lesson-back').addEventListener('click', () => void turnPage(-1));
  element('lesson-close').addEventListener('click', () => void teach('', 0));
}

// On to the next part, and from the last one to the next lesson.
async function turnPage(by: number): Promise<void> {
  const at = lessons.findIndex((l) => l.id === state.lesson);
  const part = state.part + by;
  if (part >= 0 && part < lessons[at].parts.length) return teach(state.lesson, part);
  const next = lessons[at + by];
  if (next) await teach(next.id, by > 0 ? 0 : next.parts.length - 1);
}

function showLesson(): void {
  const lesson = lessons.find((l) => l.id === state.lesson);
  const part = lesson?.parts[state.part];
  element('lesson-box').hidden = !part;
  document.body.classList.toggle('taught', Boolean(part));
  element<HTMLSelectElement>('lesson').value = part ? lesson.id : '';
  if (!lesson || !part) return;
  element('lesson-title').textContent = lesson.title;
  element('lesson-text').textContent = part.text;
  element('lesson-place').textContent = `${state.part + 1} of ${lesson.parts.length}`;
  const first = lesson === lessons[0] && state.part === 0;
  const last = lesson === lessons[lessons.length - 1] && state.part === lesson.parts.length - 1;
  element<HTMLButtonElement>('lesson-back').disabled = first;
  element<HTMLButtonElement>('lesson-next').disabled = last;
  element('lesson-next').textContent = state.part + 1 < lesson.parts.length ? 'Next' : 'Next lesson';
}

async function teach(id: string, part: number): Promise<void> {
  const lesson = lessons.find((l) => l.id === id);
  state.lesson = lesson ? id : '';
  state.part = part;
  showLesson();
  remember();
  if (!lesson) return;
  // All parts up to this one, the later ones on top.
  const parts = lesson.parts.slice(0, part + 1);
  const whole = Object.assign({ step: null }, ...parts) as Part;
  const source = [...parts].reverse().find((p) => p.points || p.data)!;
  const signal = fresh('lesson');
  try {
    const list = source.points
      ? { points: source.points, classes: [] }
      : await ask<PointList>('made', { ...source.data }, signal);
    Object.assign(state, {
      kernel: whole.kernel, over: whole.over ?? 'R', learner: whole.learner, C: whole.C ?? 1, map: whole.map ?? '', tab: whole.tab,
    });
    take(list);
    if (source.data) {
      element<HTMLSelectElement>('kind').value = source.data.kind;
      element('kind').dispatchEvent(new Event('change'));
      input('n').value = String(source.data.n);
      input('classes').value = String(source.data.classes ?? 2);
      if (source.data.noise !== undefined) input('noise').value = String(source.data.noise);
    }
    state.step = whole.step ?? null;
    state.open = whole.open ?? [];
    showAll();
  } catch (error) {
    if (!cancelled(error)) note(words(error));
  }
}

function showAll(): void {
  for (const box of boxes) element<HTMLDetailsElement>(box).open = state.open.includes(box);
  input('map').value = state.map;
  showLearner();
  showLesson();
  plane.state.points = state.points;
  fitView(state.points, plane.state.witness);
  showBrushes();
  showTab(state.tab);
  kernel.show();
}

async function begin(): Promise<void> {
  info = await about();
  kernel = new KernelPanel(info, plane, relearn, () => {
    if (!held && fitView(state.points, plane.state.witness)) relearn();
  });
  const kinds = element<HTMLSelectElement>('kind');
  for (const d of info.data) {
    const option = new Option(d.name, d.name);
    option.title = d.summary;
    kinds.add(option);
  }
  const kindChosen = (): void => {
    const d = info.data.find((k) => k.name === kinds.value);
    input('noise').value = String(d?.noise ?? 0.1);
    element('classes-label').hidden = !d?.any_classes;
  };
  kinds.addEventListener('change', kindChosen);
  kindChosen();
  connectLessons();
  connect();
  if (!(location.hash.length > 1 && restore(location.hash.slice(1), info.labels))) {
    const list = info.start ?? (await ask<PointList>('made', { kind: 'moons', n: 80 }));
    for (const c of list.classes) if (String(c.label) !== c.name) state.names[c.label] = c.name;
    state.points = list.points;
    if (info.start) note(`${list.points.length} points of ${info.start.name}`);
  }
  showAll();
  document.documentElement.dataset.ready = 'true';
}

window.addEventListener('hashchange', () => {
  if (restore(location.hash.slice(1), info.labels)) showAll();
});
// For tests: how many times the plane was drawn, and what of it is seen.
Object.assign(window, { studio: { frames: () => plane.frames, view: () => [...view] } });
begin().catch((error) => {
  element('status').textContent = `The program does not answer: ${words(error)}`;
});
