import type { PendingRun } from '../shared/api-types.ts';
import { element } from '../shared/dom.ts';
import { visible } from '../shared/message-blocks.ts';
import { textDiff } from './text-diff.ts';

type TextEdits = readonly { readonly index: number; readonly text: string }[];

/** The changes from one text to another. */
function diffView(before: string, after: string): HTMLElement {
  const pieces = textDiff(before, after).map(({ kind, text }) =>
    kind === 'same' ? element('span', {}, visible(text)) : element(kind === 'in' ? 'ins' : 'del', {}, visible(text)),
  );
  return element('p', { class: 'diff' }, ...pieces);
}

/** What approvers have changed so far. */
export function editedView({ texts, original_texts }: PendingRun): HTMLElement[] {
  const changed = texts.flatMap(({ index, text, path }) => {
    const before = original_texts?.find((one) => one.index === index)?.text ?? text;
    return before === text ? [] : [element('h4', {}, path), diffView(before, text)];
  });
  return changed.length === 0 ? [] : [element('h3', {}, 'Changed by an approver'), ...changed];
}

interface Field {
  readonly index: number;
  readonly path: string;
  readonly before: string;
  readonly area: HTMLTextAreaElement;
}

interface Cursor {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** A field for each editable text, with a view of the changes. Collapsed until the visitor wants to edit. */
export class EditForm {
  readonly element: HTMLElement;
  readonly #fields: readonly Field[];

  /** @param earlier the form of the same run before somebody changed it: its unsent edits are kept and compared with the new texts */
  constructor({ texts }: Pick<PendingRun, 'texts'>, earlier: EditForm | null) {
    this.#fields = texts.map(({ index, text, path }) => {
      const area = element('textarea', { rows: '4', spellcheck: 'false' });
      area.value = text;
      const before = area.value;
      area.value = earlier?.edits.find((edit) => edit.index === index)?.text ?? before;
      return { index, path, before, area };
    });
    const parts = this.#fields.map(({ path, area, before }) => {
      const diff = element('div', { 'aria-live': 'polite' });
      const compare = (): void => diff.replaceChildren(...(area.value === before ? [] : [diffView(before, area.value)]));
      area.addEventListener('input', compare);
      compare();
      return element('div', {}, element('label', { class: 'reason' }, path, area), diff);
    });
    this.element = element(
      'details',
      { class: 'edit', hidden: texts.length === 0, open: this.edits.length > 0 },
      element('summary', {}, 'Edit before approving'),
      element('p', { class: 'hint' }, 'Edits are sent only if you approve. If you deny, they are discarded.'),
    );
    // A browser needs many seconds to lay out a field with a very long word, even one that is folded away.
    const unfold = (): void => this.element.append(...parts);
    if (this.edits.length > 0) unfold();
    else this.element.addEventListener('toggle', unfold, { once: true });
  }

  /** Empty if nothing was changed. */
  get edits(): TextEdits {
    return this.#fields.flatMap(({ index, before, area }) => (area.value === before ? [] : [{ index, text: area.value }]));
  }

  /** The changed texts, to copy. */
  unsent(): HTMLElement[] {
    return this.#fields.flatMap(({ path, before, area }) => (area.value === before ? [] : [unsentView(path, area.value)]));
  }

  /** The place in the form where the visitor is writing; null: not in the form. */
  get cursor(): Cursor | null {
    const at = this.#fields.find(({ area }) => area === document.activeElement);
    return at === undefined ? null : { index: at.index, from: at.area.selectionStart, to: at.area.selectionEnd };
  }

  set cursor({ index, from, to }: Cursor) {
    const area = this.#fields.find((field) => field.index === index)?.area;
    area?.focus({ preventScroll: true });
    area?.setSelectionRange(from, to);
  }
}

/** An unsent text by the visitor. */
export function unsentView(label: string, text: string): HTMLElement {
  const area = element('textarea', { rows: '3', readonly: true });
  area.value = text;
  return element('label', { class: 'reason' }, label, area);
}
