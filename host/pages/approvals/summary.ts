import { byId, say } from '../shared/dom.ts';
import { timeAgo } from '../shared/moment.ts';
import type { Group } from './waiting-runs.ts';

export interface Shown {
  /** All pending requests. A request that was sent several times counts once. */
  readonly all: readonly Group[];
  /** Those that the search found; null: no search. */
  readonly found: number | null;
  /** Whether the search is still reading. */
  readonly isReading: boolean;
}

/** Says how many requests there are. Every change of the summary is announced. */
export function summarise({ all, found, isReading }: Shown): void {
  const mine = all.filter(([oldest]) => oldest.cannot_approve === undefined).length;
  const text =
    found === null ? totals(all.length, mine) : `${found} of ${all.length} requests match${isReading ? ' so far' : ''}.`;
  say(byId('summary', HTMLElement), text);
  byId('nothing', HTMLElement).hidden = all.length > 0;
  document.title = `${mine === 0 ? '' : `(${mine}) `}Approvals – svc`;
}

function totals(count: number, mine: number): string {
  if (count === 0) return 'No requests are waiting.';
  const requests = count === 1 ? '1 request is waiting.' : `${count} requests are waiting, oldest first.`;
  return mine === count ? requests : `${requests} You can approve ${mine === 0 ? 'none' : mine} of them.`;
}

/** Outside the summary, because it changes with time. */
export function showOldest([group]: readonly Group[]): void {
  const place = byId('oldest', HTMLElement);
  place.hidden = group === undefined;
  if (group !== undefined) say(place, `The oldest was sent ${timeAgo(group[0].created_at, Date.now())}.`);
}
