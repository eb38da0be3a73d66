/** The filters of the list, as in the address and in `GET /v1/audit`. */
export const FILTERS = ['route', 'principal', 'session', 'status', 'verdict', 'code', 'since', 'until'] as const;
export type FilterName = (typeof FILTERS)[number];
/** Without empty filters. */
export type Filters = Partial<Readonly<Record<FilterName, string>>>;

/** The view that the address names: one run, or a list. */
export interface Place {
  readonly run_id: string | null;
  readonly filters: Filters;
}

export function placeOf(search: string): Place {
  const asked = new URLSearchParams(search);
  return { run_id: asked.get('run') || null, filters: filtersIn((name) => asked.get(name)) };
}

export function filtersIn(read: (name: FilterName) => string | null): Filters {
  const given = FILTERS.map((name) => [name, read(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The address of a place. */
export function addressOf({ run_id, filters }: Place): string {
  const query = new URLSearchParams({ ...filters, ...(run_id !== null && { run: run_id }) });
  return query.size === 0 ? '/runs' : `/runs?${query}`;
}

/** The value of a date and time field, in the browser's time zone; empty if the text is not a time. */
export function fieldTime(iso: string | undefined): string {
  const time = Date.parse(iso ?? '');
  if (Number.isNaN(time)) return '';
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The time in such a field, in UTC; empty if the field is empty. */
export function isoTime(field: string): string {
  const time = Date.parse(field);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
