import { problemText } from '../shared/api-error.ts';
import { byId, element, say } from '../shared/dom.ts';
import { oneAtATime } from '../shared/one-at-a-time.ts';

/** A field of an order. `options`: the values to choose from; `suggestions`: values that may be typed differently. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly value?: string;
  readonly maxLength?: number;
  readonly options?: readonly string[];
  readonly suggestions?: readonly string[];
}

/** A change that an operator confirms in a dialog. */
export interface Order {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly fields: readonly Field[];
  /** Makes the change. If it rejects, the dialog stays open and shows why. */
  readonly carryOut: (values: Readonly<Record<string, string>>) => Promise<void>;
}

export const REASON: Field = { name: 'reason', label: 'Reason', hint: 'Stored in the operations log.', maxLength: 500 };

/** Asks for the fields, then makes the change. Escape and Cancel change nothing. */
export function give(order: Order): void {
  const dialog = byId('order', HTMLDialogElement);
  const form = byId('order-form', HTMLFormElement);
  const confirm = byId('order-confirm', HTMLButtonElement);
  if (dialog.open) return;
  say(byId('order-title', HTMLElement), order.title);
  say(byId('order-text', HTMLElement), order.text);
  say(byId('order-problem', HTMLElement), '');
  say(confirm, order.confirm);
  byId('order-fields', HTMLElement).replaceChildren(...order.fields.flatMap(inputOf));
  byId('order-cancel', HTMLButtonElement).onclick = () => dialog.close();
  form.onsubmit = (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
    void oneAtATime(confirm, () =>
      order.carryOut(values).then(
        () => dialog.close(),
        (error: unknown) => say(byId('order-problem', HTMLElement), problemText(error)),
      ),
    );
  };
  dialog.showModal();
}

function inputOf({
  name,
  label,
  hint,
  isRequired = false,
  value = '',
  maxLength = 200,
  options,
  suggestions,
}: Field): HTMLElement[] {
  const id = `order-${name}`;
  const about = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  const text = isRequired || options !== undefined ? label : `${label} (optional)`;
  const common = { id, name, required: isRequired, ...about };
  const input =
    options === undefined
      ? element('input', {
          ...common,
          value,
          maxlength: String(maxLength),
          autocomplete: 'off',
          spellcheck: 'false',
          ...(suggestions === undefined ? {} : { list: `${id}-list` }),
        })
      : element('select', common, ...options.map((each) => element('option', { value: each, selected: each === value }, each)));
  return [
    element(
      'div',
      { class: 'field' },
      element('label', { for: id }, text),
      input,
      ...(suggestions === undefined
        ? []
        : [element('datalist', { id: `${id}-list` }, ...suggestions.map((each) => element('option', { value: each })))]),
      ...(hint === undefined ? [] : [element('p', { id: `${id}-hint`, class: 'hint' }, hint)]),
    ),
  ];
}
