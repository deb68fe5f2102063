// Completion of the word before the caret: names of kernels and functions.
export interface Word {
  name: string;
  insert: string; // rbf(
  about: string;
}

export function completion(field: HTMLInputElement, list: HTMLElement, words: Word[], changed: () => void): void {
  let found: Word[] = [];
  let at = 0;

  const wordBefore = (): string => /[A-Za-z_]\w*$/.exec(field.value.slice(0, field.selectionStart ?? 0))?.[0] ?? '';
  const close = (): void => {
    found = [];
    list.hidden = true;
    field.setAttribute('aria-expanded', 'false');
    field.removeAttribute('aria-activedescendant');
  };
  const paint = (): void => {
    list.textContent = '';
    found.forEach((w, k) => {
      const item = document.createElement('li');
      item.id = `completion-${k}`;
      item.setAttribute('role', 'option');
      item.setAttribute('aria-selected', String(k === at));
      const name = document.createElement('b');
      name.textContent = w.name;
      item.append(name, ' ' + w.about);
      item.addEventListener('pointerdown', (e) => {
        e.preventDefault();
        at = k;
        accept();
      });
      list.append(item);
    });
    list.hidden = found.length === 0;
    field.setAttribute('aria-expanded', String(found.length > 0));
    if (found.length > 0) field.setAttribute('aria-activedescendant', `completion-${at}`);
  };
  const accept = (): void => {
    const caret = field.selectionStart ?? field.value.length;
    const before = field.value.slice(0, caret - wordBefore().length) + found[at].insert;
    const after = field.value.slice(caret);
    field.value = before + after;
    field.setSelectionRange(before.length, before.length);
    close();
    changed();
  };

  field.addEventListener('input', () => {
    const word = wordBefore().toLowerCase();
    // A single letter may be x or z, and a whole name needs no help.
    found = word.length < 2 ? [] : words.filter((w) => w.name.startsWith(word) && w.name !== word).slice(0, 8);
    at = 0;
    paint();
  });
  field.addEventListener('keydown', (e) => {
    if (found.length === 0) return;
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      at = (at + (e.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length;
      paint();
    } else if (e.key === 'Enter' || e.key === 'Tab') accept();
    else if (e.key === 'Escape') close();
    else return;
    e.preventDefault();
  });
  field.addEventListener('blur', close);
}
