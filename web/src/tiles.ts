// A kernel built from tiles. The typed text is the truth: tiles are what the program read in it, and
// whatever is done to them is written back as text. All combinations of what is offered can be read.
import type { About, KernelInfo, Refused, Tile } from './api';

const level = (t: Tile): number => {
  if (t.kind === 'sum') return 0;
  if (t.kind === 'product' || t.kind === 'negate') return 1;
  if (t.kind === 'power') return 2;
  if (t.kind === 'formula') return /^(x\.z|[\w.]+|\|[^|]+\|(_[12])?|\w+\([^()]*\))$/.test(t.text) ? 3 : 0;
  return 3;
};
const within = (t: Tile, needed: number): string => (level(t) < needed ? `(${t.text})` : t.text);

// The text of a tile that was put together anew.
function written(t: Tile, kernels: KernelInfo[]): string {
  const parts = t.children ?? [];
  switch (t.kind) {
    case 'sum':
      return parts.map((c, i) => (i === 0 ? (c.inverse ? '-' : '') : c.inverse ? ' - ' : ' + ') + within(c, 1)).join('');
    case 'product':
      return parts.map((c, i) => (i === 0 ? (c.inverse ? '1/' : '') : c.inverse ? '/' : '*') + within(c, 2)).join('');
    case 'power':
      return `${within(parts[0], 3)}^${within(parts[1], 3)}`;
    case 'negate':
      return '-' + within(parts[0], 2);
    case 'function':
      return `${t.name}(${parts.map((c) => c.text).join(', ')})`;
    case 'named': {
      const known = kernels.find((k) => k.name === t.name)?.parameters ?? [];
      const given = (t.parameters ?? []).filter((p) => p.value.trim() !== '');
      const order = known.filter((p) => p.default !== '').map((p) => p.name);
      // By position as long as none is left out, by name from there on.
      let inOrder = true;
      const list = given.map((p, i) => {
        inOrder = inOrder && order[i] === p.name;
        return inOrder ? p.value : `${p.name}=${p.value}`;
      });
      return t.name + (list.length > 0 ? `(${list.join(', ')})` : '');
    }
    default:
      return t.text;
  }
}

type Path = number[];

export class Tiles {
  private root: Tile | null = null;
  private chosen: Path = [];
  private readonly kernels: KernelInfo[];
  // What was asked for while the tiles had not yet followed the text.
  private waiting: (() => void)[] | null = null;

  constructor(
    private readonly box: HTMLElement,
    private readonly tools: HTMLElement,
    private readonly note: HTMLElement,
    about: About,
    private readonly change: (text: string) => void,
  ) {
    this.kernels = about.kernels;
    this.makeTools();
    box.addEventListener('keydown', (e) => this.key(e));
  }

  show(root: Tile | null, error: Refused | null): void {
    const focused = this.box.contains(document.activeElement) ? document.activeElement as HTMLElement : null;
    const field = focused?.dataset.field;
    const next = this.waiting ?? [];
    this.waiting = null;
    this.root = root;
    while (this.chosen.length > 0 && !this.at(this.chosen)) this.chosen.pop();
    this.box.textContent = '';
    if (!root) {
      this.note.textContent = 'The text above cannot be taken apart yet: mend it there first.';
      this.tools.hidden = true;
      return;
    }
    this.tools.hidden = false;
    this.box.append(this.draw(root, [], error));
    this.explain();
    if (focused) {
      const again = field ? this.box.querySelector<HTMLElement>(`[data-field="${field}"]`) : this.elementAt(this.chosen);
      again?.focus();
    }
    for (const action of next) this.do(action);
  }

  // Now, or as soon as the tiles are those of the text: keys may come faster than answers.
  private do(action: () => void): void {
    if (this.waiting) this.waiting.push(action);
    else if (this.root) action();
  }

  private at(path: Path): Tile | null {
    let t = this.root;
    for (const k of path) t = t?.children?.[k] ?? null;
    return t;
  }
  private elementAt(path: Path): HTMLElement | null {
    return this.box.querySelector<HTMLElement>(`[data-path="${path.join('.')}"]`);
  }

  // --- drawing

  private describe(t: Tile): string {
    switch (t.kind) {
      case 'sum': return `sum of ${t.children!.length}`;
      case 'product': return `product of ${t.children!.length}`;
      case 'power': return 'power';
      case 'negate': return 'minus';
      case 'function': return `${t.name} of`;
      case 'named': return `kernel ${t.text}`;
      case 'number': return `number ${t.text}`;
      default: return `formula ${t.text}`;
    }
  }

  private field(value: string, id: string, label: string, set: (value: string) => void): HTMLInputElement {
    const i = document.createElement('input');
    i.value = value;
    i.spellcheck = false;
    i.autocapitalize = 'off';
    i.size = Math.max(2, value.length);
    i.setAttribute('aria-label', label);
    i.dataset.field = id;
    i.addEventListener('change', () => set(i.value));
    return i;
  }

  private draw(t: Tile, path: Path, error: Refused | null): HTMLElement {
    const e = document.createElement('div');
    e.className = 'tile ' + t.kind;
    e.dataset.path = path.join('.');
    e.setAttribute('role', 'treeitem');
    e.setAttribute('aria-label', this.describe(t));
    const chosen = path.join('.') === this.chosen.join('.');
    e.setAttribute('aria-selected', String(chosen));
    e.tabIndex = chosen ? 0 : -1;
    if (error?.begin !== undefined && error.end !== undefined && t.begin <= error.begin && error.end <= t.end &&
        !(t.children ?? []).some((c) => c.begin <= error.begin! && error.end! <= c.end)) {
      e.classList.add('wrong');
      e.title = error.message;
    }
    e.addEventListener('click', (event) => {
      event.stopPropagation();
      if (this.waiting) return; // the next moment it may be another tile
      this.choose(path, !(event.target instanceof HTMLInputElement));
    });
    let parts: HTMLElement = e;
    if (t.children) {
      parts = document.createElement('div');
      parts.className = 'parts';
      parts.setAttribute('role', 'group');
      e.append(parts);
    }
    const word = (text: string): void => {
      const s = document.createElement('span');
      s.className = 'op';
      s.textContent = text;
      parts.append(s);
    };
    const child = (k: number): void => parts.append(this.draw(t.children![k], [...path, k], error));
    const id = path.join('.');
    switch (t.kind) {
      case 'sum':
      case 'product':
        t.children!.forEach((c, k) => {
          const minus = t.kind === 'sum' ? '−' : '÷';
          if (c.inverse) word(minus);
          else if (k > 0) word(t.kind === 'sum' ? '+' : '×');
          child(k);
        });
        break;
      case 'power':
        child(0);
        word('^');
        child(1);
        break;
      case 'negate':
        word('−');
        child(0);
        break;
      case 'function':
        word(t.name + '(');
        t.children!.forEach((_, k) => {
          if (k > 0) word(',');
          child(k);
        });
        word(')');
        break;
      case 'named': {
        word(t.name!);
        const known = this.kernels.find((k) => k.name === t.name)?.parameters ?? [];
        const shown = known.filter((p) => p.default !== '' || t.parameters!.some((g) => g.name === p.name));
        const replaced = t.parameters!.some((g) => known.find((p) => p.name === g.name)?.default === '');
        for (const p of shown) {
          const given = t.parameters!.find((g) => g.name === p.name)?.value;
          if (replaced && given === undefined) continue;
          const label = document.createElement('label');
          label.textContent = p.name + ' ';
          label.title = `${p.help}${p.range ? ` (${p.range})` : ''}`;
          label.append(this.field(given ?? p.default, `${id}:${p.name}`, `${p.name} of ${t.name}`, (v) => this.parameter(path, p.name, v)));
          e.append(label);
        }
        break;
      }
      case 'number':
        e.append(this.field(t.text, id + ':', 'number', (v) => this.put(path, { ...t, text: v.trim() || '1' })));
        break;
      default:
        e.append(this.field(t.text, id + ':', 'formula', (v) => this.put(path, { ...t, text: v.trim() || 'x.z' })));
    }
    return e;
  }

  private explain(): void {
    const t = this.at(this.chosen);
    if (!t) return;
    const info = t.kind === 'named' ? this.kernels.find((k) => k.name === t.name) : undefined;
    const rule: Record<string, string> = {
      sum: 'A sum of kernels is a kernel: their features side by side.',
      product: 'A product of kernels is a kernel: all products of their features. So is a multiple by a number ≥ 0.',
      power: 'A whole power of a kernel is a product of it with itself; other powers may fail, and the verdict says so.',
      number: 'A number ≥ 0 is a kernel, with the feature √c.',
      negate: 'Minus a kernel is none, unless it is 0.',
      formula: 'A formula in x and z, as in the field above. x.z is the inner product.',
    };
    this.note.textContent = info ? `${info.name}: ${info.formula || info.summary}; a kernel on ${info.domain}.`
      : t.kind === 'function' && t.name === 'exp' ? 'exp of a kernel is a kernel: 1 + k + k²/2! + …'
        : t.kind === 'function' && t.name === 'normalize' ? 'k(x,z) / √(k(x,x) k(z,z)): features of length 1.'
          : (rule[t.kind] ?? `Whether ${t.name} of a kernel is one, the verdict says.`);
  }

  // --- choosing and changing

  private choose(path: Path, focus = true): void {
    this.elementAt(this.chosen)?.setAttribute('aria-selected', 'false');
    this.elementAt(this.chosen)?.setAttribute('tabindex', '-1');
    this.chosen = path;
    const e = this.elementAt(path);
    e?.setAttribute('aria-selected', 'true');
    e?.setAttribute('tabindex', '0');
    if (focus) e?.focus();
    this.explain();
  }

  private put(path: Path, tile: Tile): void {
    const build = (t: Tile, depth: number): Tile => {
      if (depth === path.length) return { ...tile, inverse: t.inverse };
      const children = t.children!.map((c, k) => (k === path[depth] ? build(c, depth + 1) : c));
      const next = { ...t, children };
      return { ...next, text: written(next, this.kernels) };
    };
    this.waiting = [];
    this.change(build(this.root!, 0).text);
  }

  private make(kind: Tile['kind'], children: Tile[], name?: string): Tile {
    const t: Tile = { kind, children: children.map((c) => ({ ...c })), text: '', begin: 0, end: 0, name };
    return { ...t, text: written(t, this.kernels) };
  }
  private leaf(kind: Tile['kind'], text: string): Tile {
    return { kind, text, begin: 0, end: 0, ...(kind === 'named' ? { name: text.split('(')[0], parameters: [] } : {}) };
  }

  private parameter(path: Path, name: string, value: string): void {
    const t = this.at(path)!;
    const known = this.kernels.find((k) => k.name === t.name)?.parameters ?? [];
    const given = new Map((t.parameters ?? []).map((p) => [p.name, p.value]));
    given.set(name, value.trim());
    // All before it are written, too, so that it goes by position.
    const last = known.findIndex((p) => p.name === name);
    const parameters = known
      .map((p, k) => ({ name: p.name, value: given.get(p.name) ?? (k < last && p.default !== '' && known[last].default !== '' ? p.default : '') }))
      .filter((p) => p.value !== '');
    const next = { ...t, parameters };
    this.put(path, { ...next, text: written(next, this.kernels) });
  }

  // Another one beside what is chosen: in the sum (product) that it is a part of, or in a new one.
  private beside(kind: 'sum' | 'product'): void {
    const t = this.at(this.chosen)!;
    const other = this.leaf('named', kind === 'sum' ? 'linear' : 'rbf(1)');
    const above = this.chosen.length > 0 ? this.at(this.chosen.slice(0, -1)) : null;
    if (t.kind === kind) {
      const path = this.chosen;
      this.chosen = [...path, t.children!.length];
      this.put(path, this.make(kind, [...t.children!, other]));
    } else if (above?.kind === kind) {
      const path = this.chosen.slice(0, -1);
      const k = this.chosen[this.chosen.length - 1] + 1;
      this.chosen = [...path, k];
      this.put(path, this.make(kind, [...above.children!.slice(0, k), other, ...above.children!.slice(k)]));
    } else {
      const path = this.chosen;
      this.chosen = [...path, 1];
      this.put(path, this.make(kind, [{ ...t, inverse: false }, other]));
    }
  }

  private wrap(make: (t: Tile) => Tile, to: Path = []): void {
    const path = this.chosen;
    const t = { ...this.at(path)!, inverse: false };
    this.chosen = [...path, ...to];
    this.put(path, make(t));
  }

  private remove(): void {
    const t = this.at(this.chosen)!;
    const path = this.chosen.slice(0, -1);
    const above = this.chosen.length > 0 ? this.at(path) : null;
    if (above && (above.kind === 'sum' || above.kind === 'product')) {
      const rest = above.children!.filter((_, k) => k !== this.chosen[this.chosen.length - 1]);
      this.chosen = path;
      this.put(path, rest.length === 1 && !rest[0].inverse ? rest[0] : this.make(above.kind, rest));
    } else if (t.children && t.kind !== 'sum' && t.kind !== 'product') {
      this.put(this.chosen, { ...t.children[0], inverse: false }); // what it was around stays
    } else if (above) {
      this.chosen = path;
      const inner = above.kind === 'power' ? above.children![0] : this.leaf('named', 'linear');
      this.put(path, above.kind === 'power' && t !== above.children![0] ? inner : this.leaf('named', 'linear'));
    } else {
      this.put([], this.leaf('named', 'linear'));
    }
  }

  private makeTools(): void {
    const group = (label: string): HTMLElement => {
      const g = document.createElement('div');
      g.className = 'group';
      const s = document.createElement('span');
      s.textContent = label;
      s.className = 'quiet';
      g.append(s);
      this.tools.append(g);
      return g;
    };
    const button = (to: HTMLElement, id: string, text: string, title: string, action: () => void): void => {
      const b = document.createElement('button');
      b.id = id;
      b.textContent = text;
      b.title = title;
      b.addEventListener('click', () => this.do(action));
      to.append(b);
    };
    const doing = group('with it');
    button(doing, 'tile-add', '+', 'add a kernel (key +)', () => this.beside('sum'));
    button(doing, 'tile-times', '×', 'multiply by a kernel (key *)', () => this.beside('product'));
    button(doing, 'tile-multiple', 'c ·', 'a multiple', () =>
      this.wrap((t) => this.make('product', [this.leaf('number', '2'), ...(t.kind === 'product' ? t.children! : [t])]), [0]));
    button(doing, 'tile-exp', 'exp', 'exp of it (key e)', () => this.wrap((t) => this.make('function', [t], 'exp')));
    button(doing, 'tile-power', '( )ⁿ', 'a power (key ^)', () => this.wrap((t) => this.make('power', [t, this.leaf('number', '2')]), [1]));
    button(doing, 'tile-normalize', 'normalize', 'features of length 1', () => this.wrap((t) => this.make('function', [t], 'normalize')));
    button(doing, 'tile-remove', 'remove', 'take it away (key Delete)', () => this.remove());
    const instead = group('in its place');
    for (const k of this.kernels) {
      button(instead, 'tile-' + k.name, k.name, k.formula || k.summary, () => this.put(this.chosen, this.leaf('named', k.name)));
    }
    button(instead, 'tile-formula', 'formula', 'any expression in x and z', () => this.put(this.chosen, this.leaf('formula', 'x.z')));
  }

  private key(e: KeyboardEvent): void {
    if (e.target instanceof HTMLInputElement || !this.root || e.ctrlKey || e.metaKey || e.altKey) return;
    if (!Tiles.keys.includes(e.key)) return;
    e.preventDefault();
    this.do(() => this.pressed(e.key));
  }

  private static readonly keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'Enter', 'Delete',
    'Backspace', '+', '*', 'e', '^'];

  private pressed(key: string): void {
    const up = this.chosen.slice(0, -1);
    const last = this.chosen[this.chosen.length - 1] ?? 0;
    const siblings = this.chosen.length > 0 ? this.at(up)!.children!.length : 1;
    const moves: Record<string, () => unknown> = {
      ArrowUp: () => this.choose(up),
      ArrowDown: () => this.at(this.chosen)?.children && this.choose([...this.chosen, 0]),
      ArrowLeft: () => last > 0 && this.choose([...up, last - 1]),
      ArrowRight: () => last + 1 < siblings && this.choose([...up, last + 1]),
      Home: () => this.choose([]),
      Enter: () => this.elementAt(this.chosen)?.querySelector('input')?.focus(),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      '+': () => this.beside('sum'),
      '*': () => this.beside('product'),
      e: () => document.getElementById('tile-exp')!.click(),
      '^': () => document.getElementById('tile-power')!.click(),
    };
    moves[key]();
  }
}
