import { ApiError, problemText } from '../shared/api-error.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { FilterForm } from './filter-form.ts';
import { addressOf, type Filters } from './filters.ts';
import { RunTable } from './run-table.ts';

const PAGE = 50;
/** Maximum requests of one search. For each, the gateway reads up to 10,000 runs if it needs their events. */
const MAX_REQUESTS = 10;

/** The list of runs, its filters, and more of it on request. */
export class RunList {
  readonly #session: Session;
  readonly #form: FilterForm;
  readonly #table = new RunTable();
  /** Filters of the runs that are shown; null: no runs are shown. */
  #filters: Filters | null = null;
  #next: string | null = null;
  /** Counts the searches: the result of an earlier one is discarded. */
  #search = 0;

  /** @param find called with new filters */
  constructor(session: Session, find: (filters: Filters) => void) {
    this.#session = session;
    this.#form = new FilterForm(session, !session.may('audit'), find);
    byId('runs', HTMLElement).append(this.#table.element);
    byId('older', HTMLButtonElement).addEventListener('click', () => void this.#older());
  }

  /** Shows the list with these filters. Reads it again only if the filters have changed or `again` is set. */
  async show(filters: Filters, again: boolean): Promise<void> {
    this.#form.show(filters);
    if (!again && this.#filters !== null && addressOf({ run_id: null, filters }) === this.#address()) return;
    if (!this.#session.may('audit') && !this.#session.may('call')) return this.#refuse();
    this.#filters = filters;
    this.#next = null;
    this.#table.clear();
    byId('runs', HTMLElement).hidden = true;
    await this.#read();
  }

  /** The link that opens a run of the list. */
  linkOf(run_id: string): HTMLElement | null {
    return this.#table.linkOf(run_id);
  }

  #address(): string {
    return addressOf({ run_id: null, filters: this.#filters ?? {} });
  }

  #refuse(): void {
    const who = `${this.#session.principal_id} cannot list runs`;
    showProblem(byId('problem', HTMLElement), `${who}, because it has neither the role audit nor the role call.`);
  }

  async #older(): Promise<void> {
    const first = await this.#read();
    first?.focus();
  }

  /** Adds the next page. @returns the link of its first run */
  async #read(): Promise<HTMLElement | null> {
    this.#search += 1;
    const search = this.#search;
    const before = this.#table.length;
    const filters = this.#filters ?? {};
    byId('nothing', HTMLElement).hidden = true;
    byId('older', HTMLButtonElement).hidden = true;
    showProblem(byId('problem', HTMLElement), null);
    say(summary(), 'Loading…');
    let first: HTMLElement | null = null;
    try {
      for (let request = 1; ; request += 1) {
        const { runs, next } = await this.#session.api.runs(this.#query(filters));
        if (search !== this.#search) return null;
        const link = this.#table.add(runs, filters);
        first ??= link;
        this.#next = next;
        byId('runs', HTMLElement).hidden = this.#table.length === 0;
        if (next === null || request === MAX_REQUESTS || this.#table.length - before >= PAGE) break;
        say(summary(), `Searching… ${this.#table.length} found so far.`);
      }
      this.#summarise(filters);
    } catch (error) {
      if (search !== this.#search) return null;
      say(summary(), '');
      this.#filters = null;
      showProblem(byId('problem', HTMLElement), this.#problemOf(error, filters));
    }
    return first;
  }

  /** A key without the role `audit` sees its own runs. */
  #query(filters: Filters): Record<string, string> {
    const own = this.#session.may('audit') ? {} : { principal: this.#session.principal_id };
    return { ...filters, ...own, limit: String(PAGE), ...(this.#next !== null && { cursor: this.#next }) };
  }

  #problemOf(error: unknown, { route }: Filters): string {
    if (!(error instanceof ApiError && error.code === 'SVC-AUTH-002' && route === undefined)) return problemText(error);
    const names = this.#session.routes.map(({ name }) => name).join(', ');
    return `Your key is limited to some routes. Enter one of them under Route: ${names}.`;
  }

  #summarise(filters: Filters): void {
    const { length } = this.#table;
    const isAll = this.#next === null;
    const whose = this.#session.may('audit') ? '' : `, requested by ${this.#session.principal_id}`;
    const isFiltered = Object.keys(filters).length > 0;
    say(
      summary(),
      `${isAll || length === 0 ? '' : 'The newest '}${found(length)}${isFiltered ? ' with these filters' : ''}${whose}.`,
    );
    const nothing = byId('nothing', HTMLElement);
    nothing.hidden = length > 0;
    nothing.textContent = !isAll
      ? 'None of the newest runs matches all of these filters. Search older runs, or narrow the search to a time or a route.'
      : isFiltered
        ? 'No run matches all of these filters.'
        : 'No runs yet. A run appears here when it starts.';
    const older = byId('older', HTMLButtonElement);
    older.hidden = isAll;
    older.textContent = length === 0 ? 'Search older runs' : 'Show older runs';
  }
}

function found(count: number): string {
  if (count === 0) return 'No runs';
  return count === 1 ? '1 run' : `${count.toLocaleString('en')} runs`;
}

function summary(): HTMLElement {
  return byId('summary', HTMLElement);
}
