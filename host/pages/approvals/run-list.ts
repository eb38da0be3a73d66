import type { Api } from '../shared/api.ts';
import { problemText } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import { refreshMoments } from '../shared/moment.ts';
import { RunCard } from './run-card.ts';
import { type WaitingRuns, waitingRuns } from './waiting-runs.ts';

const POLL_MS = 5000;

/** Shows the paused runs and keeps them current. Cards that are on the page stay as they are, so focus and half-made decisions do too. */
export function showApprovals(api: Api): void {
  const cards = new Map<string, RunCard>();
  const place = byId('runs', HTMLElement);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;

  const refresh = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    clearTimeout(timer);
    try {
      const waiting = await waitingRuns(api);
      reconcile(waiting.runs);
      summarise(waiting);
      showProblem(byId('problem', HTMLElement), null);
    } catch (error) {
      showProblem(byId('problem', HTMLElement), problemText(error));
    }
    refreshMoments(place);
    reading = false;
    timer = setTimeout(() => void poll(), POLL_MS);
  };

  const poll = async (): Promise<void> => {
    // A page that nobody sees asks nothing; it catches up when it is seen again.
    if (document.visibilityState === 'visible') await refresh();
  };

  const reconcile = (runs: readonly StoredRun[]): void => {
    const keys = new Set(runs.map(keyOf));
    for (const [key, card] of cards) if (!keys.has(key)) void card.gone();
    let below: Element | null = null;
    for (const run of runs.toReversed()) {
      const known = cards.get(keyOf(run));
      const card: RunCard = known ?? new RunCard(api, run, () => void refresh());
      if (known === undefined) {
        cards.set(keyOf(run), card);
        place.insertBefore(card.element, below);
      }
      void card.load();
      below = card.element;
    }
  };

  byId('refresh', HTMLButtonElement).addEventListener('click', () => {
    for (const [key, card] of cards) {
      if (!card.settled) continue;
      card.element.remove();
      cards.delete(key);
    }
    void refresh();
  });
  document.addEventListener('visibilitychange', () => void poll());
  void refresh();
}

/** A run that paused again is another thing to decide. */
function keyOf({ run_id, events }: StoredRun): string {
  return `${run_id} ${events.length}`;
}

function summarise({ runs, more }: WaitingRuns): void {
  const count = runs.length;
  const requests = count === 1 ? '1 request waits' : `${count} requests wait`;
  const text = count === 0 ? 'Nothing waits for a decision.' : `${requests} for a decision.`;
  say(byId('summary', HTMLElement), more ? `The newest ${count} requests; more wait behind them.` : text);
  byId('nothing', HTMLElement).hidden = count > 0;
  document.title = `${count === 0 ? '' : `(${count}) `}Approvals – svc`;
}
