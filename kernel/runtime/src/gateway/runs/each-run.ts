import type { RunQuery, RunRow, RunStatus, Store } from '@svc/contracts';

const PAGE = 500;

/** Every run in one of these statuses, newest first. `of`: only the runs of this principal on this route. */
export async function* runsIn(
  store: Pick<Store, 'runs'>,
  status: RunStatus[],
  of: Pick<RunQuery, 'principal' | 'route'> = {},
): AsyncGenerator<RunRow> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.runs({ ...of, status, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.rows;
    cursor = page.next;
  }
}

/** The id of every run with stored content, oldest first. */
export async function* runsWithContent(store: Pick<Store, 'runsWithContent'>): AsyncGenerator<string> {
  for (let after = '', full = true; full; ) {
    const run_ids = await store.runsWithContent(after, PAGE);
    yield* run_ids;
    after = run_ids.at(-1) ?? after;
    full = run_ids.length === PAGE;
  }
}
