import { element } from './dom.ts';

type Cell = Node | string;

/**
 * A table in a region that scrolls.
 * @param title id of its title
 * @param rows the first cell of each is its heading
 */
export function dataTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly [heading: Cell, ...cells: Cell[]])[],
): HTMLElement {
  const columns = head.map((text) => element('th', { scope: 'col' }, text));
  const body = rows.map(([heading, ...cells]) =>
    element('tr', {}, element('th', { scope: 'row' }, heading), ...cells.map((cell) => element('td', {}, cell))),
  );
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...columns)), element('tbody', {}, ...body));
  // So that the keyboard can scroll it.
  return element('section', { class: 'scroll', tabindex: '0', 'aria-labelledby': title }, table);
}
