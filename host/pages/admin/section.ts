import { problemText } from '../shared/api-error.ts';
import { byId, element, showProblem } from '../shared/dom.ts';
import { keepFocus, oneAtATime } from '../shared/one-at-a-time.ts';
import { dataTable } from '../shared/table.ts';

type Cell = Node | string;

/** Shows the rows of a section as a table, or the text `none` if there are no rows. */
export function showRows(
  name: string,
  head: readonly string[],
  rows: readonly (readonly [heading: Cell, ...cells: Cell[]])[],
  none: string,
): void {
  const place = byId(name, HTMLElement).querySelector('.rows-of');
  place?.replaceChildren(
    rows.length === 0 ? element('p', { class: 'muted none' }, none) : dataTable(`${name}-title`, head, rows),
  );
}

/** @param about the subject of the button's action, for screen readers */
export function rowButton(text: string, about: string, act: () => void): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', class: 'quiet' },
    text,
    element('span', { class: 'visually-hidden' }, ` ${about}`),
  );
  button.addEventListener('click', act);
  return button;
}

/** Sets the action of a button that shows more rows. The action runs once at a time. A failure is shown at the top of the page. */
export function onMore(button: HTMLButtonElement, showMore: () => Promise<void>): void {
  const problem = byId('problem', HTMLElement);
  button.onclick = () =>
    oneAtATime(button, async () => {
      showProblem(problem, null);
      await showMore().catch((error: unknown) => showProblem(problem, problemText(error)));
      keepFocus(button.closest<HTMLElement>('.card') ?? problem);
    });
}

/** A digest, shortened. The whole digest is in the title. */
export function shortDigest(digest: string): HTMLElement {
  return element('code', { title: digest }, digest.replace(/^(\w+:)?(\w{12})\w+$/, '$1$2…'));
}
