import { VERDICTS } from '../../../kernel/contracts/src/guard.ts';
import { RUN_STATUSES } from '../../../kernel/contracts/src/run-status.ts';
import { verdictLabel } from '../../src/trail/words.ts';
import { byId, element } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { FILTERS, type Filters, fieldTime, filtersIn, isoTime } from './filters.ts';

const TIMES: readonly string[] = ['since', 'until'];

/** The form above the list. */
export class FilterForm {
  readonly #form = byId('filter', HTMLFormElement);
  readonly #frame = byId('filters', HTMLDetailsElement);

  constructor({ routes }: Session, hidesPrincipal: boolean, find: (filters: Filters) => void) {
    byId('routes', HTMLDataListElement).append(...routes.map(({ name }) => element('option', { value: name })));
    byId('of-principal', HTMLElement).hidden = hidesPrincipal;
    fill(
      'status',
      'Any status',
      RUN_STATUSES.map((status) => [status, status]),
    );
    fill(
      'verdict',
      'Any verdict',
      VERDICTS.map((verdict) => [verdict, verdictLabel(verdict).text]),
    );
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      find(this.#read());
    });
    byId('clear', HTMLButtonElement).addEventListener('click', () => find({}));
    this.#frame.open = matchMedia('(min-width: 48rem)').matches;
  }

  show(filters: Filters): void {
    for (const name of FILTERS) {
      const value = filters[name] ?? '';
      this.#field(name).value = TIMES.includes(name) ? fieldTime(value) : value;
    }
    const count = Object.keys(filters).length;
    byId('filters-title', HTMLElement).textContent = count === 0 ? 'Filters' : `Filters (${count})`;
    byId('clear', HTMLButtonElement).hidden = count === 0;
  }

  #read(): Filters {
    return filtersIn((name) => {
      const { value } = this.#field(name);
      return TIMES.includes(name) ? isoTime(value) : value;
    });
  }

  #field(name: string): HTMLInputElement | HTMLSelectElement {
    const field = this.#form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) return field;
    throw new Error(`the form has no field ${name}`);
  }
}

function fill(id: string, none: string, options: readonly (readonly [value: string, text: string])[]): void {
  const all = [['', none] as const, ...options];
  byId(id, HTMLSelectElement).append(...all.map(([value, text]) => element('option', { value }, text)));
}
