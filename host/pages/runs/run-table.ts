import { costOfRun, dollars } from '../../src/trail/cost.ts';
import { statusLabel } from '../../src/trail/words.ts';
import type { StoredRun } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { element } from '../shared/dom.ts';
import { timeView } from '../shared/moment.ts';
import { addressOf, type Filters } from './filters.ts';
import { notablesOf } from './notable.ts';

const COLUMNS = ['Started', 'Status', 'Route', 'Requested by', 'Guards', 'Tokens', 'Cost', 'Session'] as const;
const count = new Intl.NumberFormat('en');

/** A list of runs that can grow. In narrow windows its rows are blocks, so the roles are stated: browsers derive them from the layout. */
export class RunTable {
  readonly element: HTMLElement;
  readonly #body = element('tbody', { role: 'rowgroup' });

  constructor() {
    const head = COLUMNS.map((text) => element('th', { scope: 'col', role: 'columnheader' }, text));
    this.element = element(
      'table',
      { class: 'run-table', role: 'table', 'aria-labelledby': 'list-title' },
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
      this.#body,
    );
  }

  get length(): number {
    return this.#body.rows.length;
  }

  clear(): void {
    this.#body.replaceChildren();
  }

  /** @param filters of the list, which the address of a run keeps. @returns the link of the first */
  add(runs: readonly StoredRun[], filters: Filters): HTMLElement | null {
    const rows = runs.map((run) => rowOf(run, addressOf({ run_id: run.run_id, filters })));
    this.#body.append(...rows);
    return rows[0]?.querySelector('a') ?? null;
  }

  /** The link that opens a run; null: it is not in the list. */
  linkOf(run_id: string): HTMLElement | null {
    return this.#body.querySelector(`a[data-run="${CSS.escape(run_id)}"]`);
  }
}

function rowOf({ run_id, created_at, status, route, principal_id, session, events }: StoredRun, href: string): HTMLElement {
  const { calls, micro_usd, input_tokens, output_tokens } = costOfRun(events);
  const link = element('a', { href, 'data-run': run_id }, timeView(created_at));
  const guards = notablesOf(events).map(({ label, note }) => element('span', { class: 'notable' }, badge(label), note));
  const cell = (name: string, ...content: readonly (Node | string)[]): HTMLElement =>
    element('td', { role: 'cell', class: name }, ...content);
  return element(
    'tr',
    { role: 'row' },
    element('th', { scope: 'row', role: 'rowheader' }, link),
    cell('status', badge(statusLabel(status))),
    cell('route', route),
    cell('of', principal_id),
    cell('guards', ...guards),
    cell('number', calls === 0 ? '' : count.format(input_tokens + output_tokens)),
    cell('number', micro_usd === null ? '' : dollars(micro_usd)),
    cell('session', session ?? ''),
  );
}
