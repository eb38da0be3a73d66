import { problemText } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import { refreshMoments, timeAgo } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { RunCard } from './run-card.ts';
import { type WaitingRuns, waitingRuns } from './waiting-runs.ts';

const POLL_MS = 2000;
/** Runs shown at first, and how many more with each press. */
const SOME_RUNS = 100;

/** Shows the paused runs and keeps them current. Cards that are on the page stay as they are, so focus and half-made decisions do too. */
export function showApprovals(session: Session): void {
  if (!session.may('approve') && !session.may('audit')) {
    const who = `${session.principal_id} cannot list pending requests`;
    showProblem(byId('problem', HTMLElement), `${who}: it does not have the role approve.`);
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
  /** The run that the address asks for: the text of a pause links to it. */
  let asked = new URLSearchParams(location.hash.slice(1)).get('run');

  const refresh = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    clearTimeout(timer);
    try {
      const waiting = await waitingRuns(session, limit);
      await reconcile(waiting.runs);
      for (const run of waiting.runs) if (run.run_id === asked) cards.get(keyOf(run))?.element.focus();
      asked = null;
      const mine = waiting.runs.filter((run) => cards.get(keyOf(run))?.forbidden === false).length;
      summarise(waiting, mine);
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

  const reconcile = async (runs: readonly StoredRun[]): Promise<void> => {
    const keys = new Set(runs.map(keyOf));
    for (const [key, card] of cards) if (!keys.has(key)) void card.gone();
    let below: Element | null = null;
    const loading: Promise<void>[] = [];
    for (const run of runs.toReversed()) {
      const known = cards.get(keyOf(run));
      const card: RunCard = known ?? new RunCard(session.api, run, session.route(run.route), () => void refresh());
      if (known === undefined) {
        cards.set(keyOf(run), card);
        place.insertBefore(card.element, below);
      }
      loading.push(card.load());
      below = card.element;
    }
    await Promise.all(loading);
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

/** A run that paused again is another thing to decide. */
function keyOf({ run_id, events }: StoredRun): string {
  return `${run_id} ${events.length}`;
}

/** Beside the summary, which is announced whenever it changes. */
function showOldest({ runs, more }: WaitingRuns): void {
  const oldest = runs.at(-1);
  const place = byId('oldest', HTMLElement);
  place.hidden = more || oldest === undefined || runs.length < 2;
  if (oldest !== undefined) say(place, `The oldest was sent ${timeAgo(oldest.created_at, Date.now())}.`);
}

function summarise({ runs, more }: WaitingRuns, mine: number): void {
  const count = runs.length;
  const requests = count === 1 ? '1 request is' : `${count} requests are`;
  const whose = mine === count ? '' : ` You can decide ${mine === 0 ? 'none' : mine} of them.`;
  const text = count === 0 ? 'No requests are waiting for approval.' : `${requests} waiting for approval.${whose}`;
  say(byId('summary', HTMLElement), more ? `Showing the newest ${count} pending requests; there are more.` : text);
  byId('nothing', HTMLElement).hidden = count > 0;
  document.title = `${mine === 0 ? '' : `(${mine}) `}Approvals – svc`;
}
