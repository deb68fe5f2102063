// Which three coordinates of φ the lift shows: chosen from those of the kernel, or typed as a map.
const count = 3;

// The entries of [a, b, c], commas within brackets apart; none where it is no such list.
function entries(map: string): string[] {
  const text = map.trim();
  if (!text.startsWith('[') || !text.endsWith(']')) return [];
  const all: string[] = [];
  let depth = 0;
  let from = 1;
  for (let i = 1; i < text.length; ++i) {
    if (text[i] === '(') ++depth;
    if (text[i] === ')') --depth;
    if ((text[i] === ',' && depth === 0) || i === text.length - 1) {
      all.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  return all;
}

export class Axes {
  private features: string[] = [];
  private before: string[] = []; // what each axis had
  private readonly fields: HTMLSelectElement[] = [];

  constructor(private readonly box: HTMLElement, private readonly change: (map: string) => void) {
    for (let k = 0; k < count; ++k) {
      const s = document.createElement('select');
      s.id = `axis-${k + 1}`;
      s.setAttribute('aria-label', `coordinate of φ along axis ${k + 1}`);
      s.addEventListener('change', () => this.chosen(k));
      this.fields.push(s);
      box.append(s);
    }
  }

  // Hidden where φ is not written out.
  show(features: string[], map: string): void {
    this.features = features;
    this.box.hidden = features.length === 0;
    const now = entries(map);
    this.fields.forEach((s, k) => {
      s.replaceChildren(new Option(map.trim() ? (now[k] ?? '–') : 'automatic', ''), ...features.map((f) => new Option(f, f)));
      s.value = features.includes(now[k]) ? now[k] : '';
    });
    this.before = this.fields.map((s) => s.value);
  }

  // What was not chosen yet is the next feature that nobody has; the first entry of an axis leaves
  // the choice to the program again.
  private chosen(k: number): void {
    if (this.fields[k].value === '') return this.change('');
    const taken = this.fields.map((s) => s.value);
    // One that another axis has: they change places.
    const other = taken.findIndex((f, i) => i !== k && f === taken[k]);
    if (other >= 0) taken[other] = this.before[k];
    const others = this.features.filter((f) => !taken.includes(f));
    const map = taken.map((f) => f || others.shift() || '').filter((f) => f !== '');
    this.change(`[${map.join(', ')}]`);
  }
}
