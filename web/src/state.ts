// All that an address says; everything else follows from it.
import type { Point } from './api';
import { soon } from './page';

export const learners = ['svm', 'perceptron', 'gd', 'ridge'] as const;
export const tabs = ['lift', 'gram', 'history'] as const;
export type Learner = (typeof learners)[number];
export type Tab = (typeof tabs)[number];
export const boxes = ['proof', 'features', 'tiles-box', 'alphas'] as const;
export type Box = (typeof boxes)[number];

export interface State {
  points: Point[];
  names: Record<string, string>; // of classes, where a file had other names than their labels
  kernel: string;
  over: string;
  learner: Learner;
  C: number; // powers of ten, as the sliders have them
  lambda: number;
  step: number | null; // none: the end
  map: string;
  tab: Tab;
  open: Box[]; // what is unfolded
  turn: number;
  tilt: number;
  lesson: string;
  part: number;
}

export const state: State = {
  points: [], names: {}, kernel: 'rbf(1)', over: 'R', learner: 'svm', C: 1, lambda: -1, step: null, map: '', tab: 'lift', open: [],
  turn: -60, tilt: 20, lesson: '', part: 0,
};

export const saved = (): string =>
  btoa(unescape(encodeURIComponent(JSON.stringify({ ...state, points: state.points.flat() }))))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

// What cannot be read is left as it is; an address is not to be trusted.
export function restore(text: string, labels: number[]): boolean {
  try {
    const found = JSON.parse(decodeURIComponent(escape(atob(text.replace(/-/g, '+').replace(/_/g, '/'))))) as Record<string, unknown>;
    const list = found.points;
    if (!Array.isArray(list) || !list.every((v) => typeof v === 'number' && Number.isFinite(v))) return false;
    const points: Point[] = [];
    for (let k = 0; k + 2 < list.length; k += 3) {
      if (!labels.includes(list[k + 2] as number)) return false;
      points.push([list[k] as number, list[k + 1] as number, list[k + 2] as number]);
    }
    state.points = points;
    for (const key of ['kernel', 'over', 'map', 'lesson'] as const)
      if (typeof found[key] === 'string') state[key] = (found[key] as string).slice(0, 2000);
    for (const key of ['C', 'lambda', 'turn', 'tilt', 'part'] as const)
      if (typeof found[key] === 'number' && Math.abs(found[key] as number) < 1e4) state[key] = found[key] as number;
    state.step = typeof found.step === 'number' && found.step >= 0 ? Math.floor(found.step) : null;
    if (learners.includes(found.learner as Learner)) state.learner = found.learner as Learner;
    if (tabs.includes(found.tab as Tab)) state.tab = found.tab as Tab;
    state.open = Array.isArray(found.open) ? boxes.filter((b) => (found.open as unknown[]).includes(b)) : [];
    state.names = {};
    if (found.names && typeof found.names === 'object')
      for (const [label, name] of Object.entries(found.names)) if (typeof name === 'string') state.names[label] = name.slice(0, 60);
    return true;
  } catch {
    return false;
  }
}

export function remember(): void {
  soon('address', () => history.replaceState(null, '', '#' + saved()), 300);
}

export const classesOf = (points: Point[]): number[] => [...new Set(points.map((p) => p[2]))].sort((a, b) => a - b);
export const nameOf = (label: number): string =>
  state.names[label] ?? (Object.keys(state.names).length > 0 || Math.abs(label) !== 1 ? String(label) : label < 0 ? '−1' : '+1');
