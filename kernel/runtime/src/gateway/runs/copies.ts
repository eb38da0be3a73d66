import type { RunRow, Store } from '@svc/contracts';
import { runsIn } from './each-run.ts';

/** The other paused runs that wait for the same decision as this one. The approvers of each may differ. Sorted by `run_id`. */
export async function copiesOf(
  { run_id, status, principal_id, route, pause_keys }: RunRow,
  store: Pick<Store, 'runs'>,
): Promise<readonly RunRow[]> {
  const key = pause_keys?.at(-1);
  if (status !== 'paused' || key === undefined) return [];
  const copies: RunRow[] = [];
  for await (const row of runsIn(store, ['paused'], { principal: principal_id, route }))
    if (row.run_id !== run_id && row.pause_keys?.at(-1) === key) copies.push(row);
  return copies.sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
}
