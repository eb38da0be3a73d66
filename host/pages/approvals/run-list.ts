import { problemText } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import { refreshMoments, timeAgo } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { RunCard } from './run-card.ts';
import { pausesOf } from './run-facts.ts';
import { groupsOf, type WaitingRuns, waitingRuns } from './waiting-runs.ts';

const POLL_MS = 2000;
/** Runs shown at first, and added with each press. */
const SOME_RUNS = 100;

/** Shows the paused runs and keeps them current. Existing cards stay in place, so that focus and unfinished decisions survive. */
export function showApprovals(session: Session): void {
  if (!session.may('approve') && !session.may('audit')) {
    const who = `${session.principal_id} cannot list pending requests`;
    showProblem(byId('problem', HTMLElement), `${who}, because it does not have the role approve.`);
    return;
  }
  const cards = new Map<string, RunCard>();
  const live = byId('live', HTMLElement);
  const place = byId('runs', HTMLElement);
  const tidy = byId('tidy', HTMLButtonElement);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const older = byId('older', HTMLButtonElement);
  let reading = false;
  let limit = SOME_RUNS;
  /** The run in the address: the message of a paused run links to it. */
  let asked = new URLSearchParams(location.hash.slice(1)).get('run');

  const refresh = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    clearTimeout(timer);
    try {
      const waiting = await waitingRuns(session, limit);
      const shown = await reconcile(waiting.runs);
      const run_id = asked;
      if (run_id !== null) shown.find((card) => card.isFor(run_id))?.element.focus();
      asked = null;
      summarise(shown.length, shown.filter((card) => !card.forbidden).length, waiting.more);
      older.hidden = !waiting.more;
      showOldest(waiting);
      showProblem(byId('problem', HTMLElement), null);
      live.hidden = false;
    } catch (error) {
      showProblem(byId('problem', HTMLElement), `${problemText(error)} Trying again.`);
      live.hidden = true;
      say(byId('summary', HTMLElement), 'Pending requests cannot be loaded at the moment.');
      byId('nothing', HTMLElement).hidden = true;
      byId('oldest', HTMLElement).hidden = true;
    }
    refreshMoments(place);
    tidy.hidden = ![...cards.values()].some(({ settled }) => settled);
    reading = false;
    timer = setTimeout(() => void poll(), POLL_MS);
  };

  const poll = async (): Promise<void> => {
    // A hidden page does not poll; it catches up when it becomes visible.
    if (document.visibilityState === 'visible') await refresh();
  };

  /**
   * One card for all runs that one decision applies to. The card belongs to the run that it was created for, while
   * that run is pending.
   */
  const reconcile = async (runs: readonly StoredRun[]): Promise<readonly RunCard[]> => {
    const keys = new Set(runs.map(keyOf));
    for (const [key, card] of cards) if (!keys.has(key)) void card.gone();
    let below: Element | null = null;
    const shown: RunCard[] = [];
    for (const group of groupsOf(runs).toReversed()) {
      const [newest] = group;
      if (newest === undefined) continue;
      const known = group.map((run) => cards.get(keyOf(run))).find((card) => card !== undefined);
      const card: RunCard = known ?? new RunCard(session.api, newest, session.route(newest.route), () => void refresh());
      card.waitsFor(group);
      if (known === undefined) {
        cards.set(keyOf(newest), card);
        place.insertBefore(card.element, below);
      }
      shown.push(card);
      below = card.element;
    }
    await Promise.all(shown.map((card) => card.load()));
    return shown;
  };

  tidy.addEventListener('click', () => {
    for (const [key, card] of cards) {
      if (!card.settled) continue;
      card.element.remove();
      cards.delete(key);
    }
    byId('main', HTMLElement).focus();
    void refresh();
  });
  older.addEventListener('click', () => {
    limit += SOME_RUNS;
    void refresh();
  });
  document.addEventListener('visibilitychange', () => void poll());
  void refresh();
}

/** A run that paused again needs a new decision. */
function keyOf({ run_id, events }: StoredRun): string {
  return `${run_id} ${pausesOf(events)}`;
}

/** Outside the summary, because every change of the summary is announced. */
function showOldest({ runs, more }: WaitingRuns): void {
  const oldest = runs.at(-1);
  const place = byId('oldest', HTMLElement);
  place.hidden = more || oldest === undefined || runs.length < 2;
  if (oldest !== undefined) say(place, `The oldest was sent ${timeAgo(oldest.created_at, Date.now())}.`);
}

/** A request that was sent several times counts once. */
function summarise(count: number, mine: number, more: boolean): void {
  const requests = count === 1 ? '1 request is' : `${count} requests are`;
  const whose = mine === count ? '' : ` You can decide ${mine === 0 ? 'none' : mine} of them.`;
  const text = count === 0 ? 'No requests are waiting for approval.' : `${requests} waiting for approval.${whose}`;
  say(byId('summary', HTMLElement), more ? `Showing the newest ${count} pending requests; there are more.` : text);
  byId('nothing', HTMLElement).hidden = count > 0;
  document.title = `${mine === 0 ? '' : `(${mine}) `}Approvals – svc`;
}
