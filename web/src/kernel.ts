// The kernel: typed, completed, built from tiles, judged, and its features.
import { ask, Refused, type About, type Derivation, type Parsed, type Proof, type Tile } from './api';
import { completion, type Word } from './complete';
import { cancelled, element, fresh, input, maths, soon } from './page';
import type { Plane } from './plane';
import { remember, state } from './state';
import { Tiles } from './tiles';

export class KernelPanel {
  fine = false;
  features: string[] = []; // written out, for the lift
  private readonly tiles: Tiles;

  constructor(
    about: About,
    private readonly plane: Plane,
    private readonly learn: () => void,
    private readonly seen: () => void, // after a verdict: its counterexample may be elsewhere
  ) {
    const field = input('kernel');
    const words: Word[] = about.kernels.map((k) => ({
      name: k.name, insert: k.parameters.length > 0 ? k.name + '(' : k.name, about: k.formula || k.summary,
    }));
    for (const f of about.functions) words.push({ name: f, insert: f + '(', about: 'function' });
    words.push({ name: 'normalize', insert: 'normalize(', about: 'k/√(k(x,x) k(z,z))' });
    completion(field, element('completions'), words, () => void this.changed());
    field.addEventListener('input', () => soon('kernel', () => void this.changed(), 120));
    input('gamma').addEventListener('input', () => this.setGamma());
    element('over').addEventListener('change', () => {
      state.over = element<HTMLSelectElement>('over').value;
      remember();
      void this.judge();
    });
    this.tiles = new Tiles(element('tiles'), element('tools'), element('tiles-note'), about, (text) => {
      field.value = text;
      void this.changed();
    });
  }

  // What the state says, into the page.
  show(): void {
    input('kernel').value = state.kernel;
    const over = element<HTMLSelectElement>('over');
    if (![...over.options].some((o) => o.value === state.over)) over.add(new Option(state.over, state.over));
    over.value = state.over;
    void this.changed(true);
  }

  async changed(restored = false): Promise<void> {
    state.kernel = input('kernel').value;
    if (!restored) state.step = state.learner === 'perceptron' ? 0 : null;
    remember();
    this.showGamma();
    const signal = fresh('kernel');
    const body = { kernel: state.kernel };
    // What is written can be taken apart before it makes sense.
    const tile = ask<Tile>('tiles', body, signal).catch(() => null);
    try {
      const parsed = await ask<Parsed>('kernel', body, signal);
      this.fine = true;
      this.error(null);
      this.showFormula(parsed);
      this.showFeatures(parsed);
      this.tiles.show(await tile, null);
      this.learn();
      await this.judge();
    } catch (error) {
      if (cancelled(error)) return;
      const refused = error instanceof Refused ? error : new Refused(String(error));
      this.fine = false;
      fresh('learn'); // what runs is about another kernel
      fresh('proof');
      this.error(refused);
      this.tiles.show(await tile, refused);
      this.verdict(null);
      element('verdict').textContent = '';
    }
  }

  private async judge(): Promise<void> {
    const signal = fresh('proof');
    if (!this.fine) return;
    this.verdict(null);
    try {
      this.verdict(await ask<Proof>('proof', { kernel: state.kernel, over: state.over }, signal));
    } catch (error) {
      if (cancelled(error)) return;
      // Somewhere on the domain it has no value: that is no verdict, and the points may be elsewhere.
      this.verdict(null);
      element('verdict').textContent = error instanceof Error ? error.message : String(error);
    }
  }

  private error(error: Refused | null): void {
    const box = element('kernel-error');
    input('kernel').setAttribute('aria-invalid', String(error !== null));
    box.hidden = error === null;
    element('formula').closest('fieldset')!.classList.toggle('stale', error !== null);
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

  private showFormula(parsed: Parsed): void {
    element('formula').replaceChildren('k(x, z) = ', maths(parsed.mathml, parsed.formula));
  }

  private showFeatures(parsed: Parsed): void {
    const f = parsed.features;
    const box = element('features-body');
    this.features = f.kind === 'finite' || f.kind === 'infinite' ? f.map : [];
    const finite = f.kind === 'finite';
    document.querySelector('#features summary')!.textContent =
      f.map.length === 0 ? 'features' : finite ? `features: ${f.count}` : 'features: infinitely many';
    box.textContent = '';
    if (f.map.length === 0) {
      box.textContent = f.reason || 'not known';
      return;
    }
    const row = document.createElement('div');
    row.className = 'phi';
    row.append('φ(x) = [ ');
    f.mathml.forEach((m, k) => row.append(maths(m, f.map[k]), k + 1 < f.mathml.length ? ', ' : ''));
    row.append(f.complete && finite ? ' ]' : ', … ]');
    const plain = document.createElement('details');
    const summary = document.createElement('summary');
    summary.textContent = 'as text';
    const text = document.createElement('code');
    text.id = 'features-text';
    text.textContent = `[${f.map.join(', ')}${f.complete && finite ? '' : ', …'}]`;
    plain.append(summary, text);
    box.append(row, plain);
  }

  // The name of a rule, which says what the rule is to those who ask.
  private rule(d: Derivation): HTMLElement[] {
    const name = document.createElement(d.statement ? 'button' : 'span');
    name.className = 'rule';
    name.textContent = d.rule;
    if (!d.statement) return [name];
    name.title = d.statement;
    name.setAttribute('aria-expanded', 'false');
    const statement = document.createElement('span');
    statement.className = 'statement';
    statement.textContent = d.statement;
    statement.hidden = true;
    name.addEventListener('click', (e) => {
      e.preventDefault(); // or the line would fold
      statement.hidden = !statement.hidden;
      name.setAttribute('aria-expanded', String(!statement.hidden));
    });
    return [name, statement];
  }

  private step(d: Derivation, depth: number): HTMLElement {
    const line = document.createElement(d.premises.length > 0 ? 'summary' : 'div');
    line.append(maths(d.mathml, d.subject), ` ${d.claim}`);
    line.append(' ', ...this.rule(d));
    if (d.premises.length === 0) return line;
    const details = document.createElement('details');
    details.open = depth < 2;
    details.append(line);
    for (const premise of d.premises) details.append(this.step(premise, depth + 1));
    return details;
  }

  private verdict(proof: Proof | null): void {
    const box = element('verdict');
    const body = element('proof-body');
    body.textContent = '';
    box.dataset.kernel = proof?.kernel ?? '';
    this.plane.state.witness = [];
    box.className = '';
    if (!proof) {
      box.textContent = '…';
    } else if (proof.verdict === 'kernel') {
      box.textContent = '✓ a kernel';
      box.className = 'yes';
      body.append(this.step(proof.proof!, 0));
    } else if (proof.verdict === 'not a kernel') {
      box.textContent = '✗ not a kernel';
      box.className = 'no';
      this.refuted(proof, body);
    } else {
      box.textContent = '? not known';
      body.textContent = 'Neither a proof nor a counterexample was found. Tried: ' + (proof.tried ?? []).join('; ');
    }
    this.plane.redraw();
    if (proof) this.seen();
  }

  private refuted(proof: Proof, body: HTMLElement): void {
    const value = (text: string): number => {
      const [a, b] = text.split('/').map(Number);
      return b === undefined ? a : a / b;
    };
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
    this.plane.state.witness = w.points.map((p, i) => ({
      x: value(p[0]), y: value(p[1] ?? '0'), text: w.coefficients[i] ? `a = ${w.coefficients[i]}` : '',
    }));
  }

  // γ is the first number of rbf, laplacian or chi2 in the text.
  private static readonly gammaPlace = /\b(?:rbf|laplacian|chi2)\(\s*(?:gamma\s*=\s*)?([0-9.]+(?:e[-+]?[0-9]+)?)/i;
  private showGamma(): void {
    const found = KernelPanel.gammaPlace.exec(state.kernel);
    input('gamma').disabled = !found;
    input('gamma').closest('label')!.hidden = !found;
    element('gamma-value').textContent = found ? found[1] : '—';
    if (found) input('gamma').value = String(Math.log10(Number(found[1])));
  }
  private setGamma(): void {
    const gamma = String(Number((10 ** Number(input('gamma').value)).toPrecision(2)));
    input('kernel').value = state.kernel.replace(KernelPanel.gammaPlace, (whole, old: string) =>
      whole.slice(0, whole.length - old.length) + gamma);
    void this.changed();
  }
}
