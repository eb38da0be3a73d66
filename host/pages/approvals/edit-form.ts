import type { PendingRun } from '../shared/api-types.ts';
import { element } from '../shared/dom.ts';
import { visible } from '../shared/message-blocks.ts';
import { textDiff } from './text-diff.ts';

type TextEdits = readonly { readonly index: number; readonly text: string }[];

/** What turned one text into another. */
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

/** A field for each text that may be changed, with what the change is. Folded until the visitor wants to edit. */
export class EditForm {
  readonly element: HTMLElement;
  readonly #fields: readonly { readonly index: number; readonly before: string; readonly field: HTMLTextAreaElement }[];

  constructor({ texts }: Pick<PendingRun, 'texts'>) {
    this.#fields = texts.map(({ index, text }) => {
      const field = element('textarea', { rows: '4', spellcheck: 'false' });
      field.value = text;
      return { index, before: field.value, field };
    });
    const parts = this.#fields.map(({ field, before }, at) => {
      const diff = element('div', { 'aria-live': 'polite' });
      field.addEventListener('input', () =>
        diff.replaceChildren(...(field.value === before ? [] : [diffView(before, field.value)])),
      );
      return element('div', {}, element('label', { class: 'reason' }, texts[at]?.path ?? '', field), diff);
    });
    this.element = element(
      'details',
      { class: 'edit', hidden: texts.length === 0 },
      element('summary', {}, 'Edit before approving'),
      ...parts,
    );
  }

  /** Empty if nothing was changed. */
  get edits(): TextEdits {
    return this.#fields.flatMap(({ index, before, field }) => (field.value === before ? [] : [{ index, text: field.value }]));
  }
}
