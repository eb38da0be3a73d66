import { nextTurn, type RunEvent, type RunPage, type RunQuery, type RunRow, type Store, type Verdict } from '@svc/contracts';

/** Conditions that one event of a run must meet. */
export interface EventFilter {
  /** A guard's verdict that was enforced. */
  readonly verdict?: Verdict;
  /** Text in the code of that verdict; without `verdict`, in the code of any event except a verdict `allow`. Case is ignored. */
  readonly code?: string;
}

/** Maximum number of runs that one search reads. */
const MAX_READ = 10_000;
const PAGE = 500;
/** Number of records that are read in one turn. */
const PART = 50;

/**
 * The newest runs of a query with a matching event. Events are not indexed, so each call reads at most 10,000 runs. It may return fewer runs than the limit, or
 * none, although there are more. In this case, `next` is set.
 */
export async function matchingRuns(
  query: RunQuery,
  filter: EventFilter,
  store: Pick<Store, 'runs' | 'recordsBySeq'>,
): Promise<RunPage> {
  const rows: RunRow[] = [];
  let next = query.cursor ?? null;
  for (let read = 0; read < MAX_READ; read += PAGE) {
    const at = { ...query, ...(next !== null && { cursor: next }) };
    const page = await store.runs({ ...at, limit: PAGE });
    const found = await matchesIn(page.rows, filter, store);
    const taken = found.slice(0, query.limit - rows.length);
    rows.push(...taken);
    const last = taken.at(-1);
    if (taken.length < found.length && last !== undefined) {
      // Only the store can create cursors, so the page is read again up to the last run that fits.
      const again = await store.runs({ ...at, limit: page.rows.indexOf(last) + 1 });
      return { rows, next: again.next ?? page.next };
    }
    next = page.next;
    if (next === null || rows.length === query.limit) break;
  }
  return { rows, next };
}

async function matchesIn(rows: readonly RunRow[], filter: EventFilter, store: Pick<Store, 'recordsBySeq'>): Promise<RunRow[]> {
  const found: RunRow[] = [];
  for (let at = 0; at < rows.length; at += PART) {
    const part = rows.slice(at, at + PART);
    const records = await store.recordsBySeq(part.flatMap(({ evidence }) => evidence?.seq ?? []));
    const texts = new Map(records.map(({ seq, bytes }) => [seq, bytes]));
    found.push(...part.filter(({ events, evidence }) => matches(events, texts.get(evidence?.seq ?? 0), filter)));
    await nextTurn();
  }
  return found;
}

function matches(events: readonly RunEvent[], record: string | undefined, filter: EventFilter): boolean {
  const has = isMatch(filter);
  return events.some(has) || (record !== undefined && mayMatch(record, filter) && eventsIn(record).some(has));
}

/** Whether a record may match, judged by its text, so that most records need not be parsed. */
function mayMatch(record: string, { verdict, code }: EventFilter): boolean {
  return (
    (verdict === undefined || record.includes(`"verdict":"${verdict}"`)) &&
    (code === undefined || record.toLowerCase().includes(code.toLowerCase()))
  );
}

/** The events in a record of evidence. */
export function eventsIn(record: string): readonly RunEvent[] {
  const { events }: { events?: readonly RunEvent[] } = JSON.parse(record);
  return events ?? [];
}

function isMatch({ verdict, code = '' }: EventFilter): (event: RunEvent) => boolean {
  const asked = code.toLowerCase();
  const hasCode = (found: unknown): boolean =>
    asked === '' ||
    String(found ?? '')
      .toLowerCase()
      .includes(asked);
  if (verdict !== undefined)
    return ({ event_type, data }) => event_type === 'verdict' && data.verdict === verdict && hasCode(data.code);
  return ({ data }) => data.verdict !== 'allow' && hasCode(data.code);
}
