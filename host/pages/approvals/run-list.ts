import type { StoredRun } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import { refreshMoments } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { CardBoard } from './card-board.ts';
import { LiveRuns } from './live-runs.ts';
import { SearchBox } from './search-box.ts';
import { showOldest, summarise } from './summary.ts';
import { type Group, groupsOf } from './waiting-runs.ts';

/** Requests shown at first, and added with each press. */
const SOME = 20;
const MINUTE_MS = 60_000;

/** Shows the paused runs and keeps them current. */
export function showApprovals(session: Session): void {
  if (session.may('approve') || session.may('audit')) return void new RunList(session).start();
  const who = `${session.principal_id} cannot list pending requests`;
  showProblem(byId('problem', HTMLElement), `${who}, because it does not have the role approve.`);
}

class RunList {
  readonly #live: LiveRuns;
  readonly #board: CardBoard;
  readonly #search: SearchBox;
  readonly #place = byId('runs', HTMLElement);
  readonly #more = byId('more', HTMLButtonElement);
  readonly #tidy = byId('tidy', HTMLButtonElement);
  #runs: ReadonlyMap<string, StoredRun> = new Map();
  #groups: readonly Group[] = [];
  #limit = SOME;

  constructor(session: Session) {
    this.#board = new CardBoard(this.#place, session, (run) => this.#live.decided(run));
    this.#search = new SearchBox(session, (isNew) => {
      if (isNew) this.#limit = SOME;
      this.#show();
    });
    this.#live = new LiveRuns(session, {
      changed: (runs, live) => this.#changed(runs, live),
      ended: (run) => this.#board.ended(run),
      failed: (problem) => this.#failed(problem),
    });
    this.#more.addEventListener('click', () => {
      const before = this.#limit;
      this.#limit += SOME;
      this.#board.focus(this.#show()[before]);
    });
    this.#tidy.addEventListener('click', () => {
      this.#board.tidy();
      this.#show();
      byId('main', HTMLElement).focus();
    });
  }

  async start(): Promise<void> {
    setInterval(() => this.#showTimes(), MINUTE_MS);
    // Notices link to a paused run.
    const asked = new URLSearchParams(location.hash.slice(1)).get('run');
    if (asked !== null) this.#search.query = asked;
    await this.#live.refresh();
    if (asked !== null) this.#board.focus(this.#found()[0]);
  }

  #changed(runs: ReadonlyMap<string, StoredRun>, live: boolean): void {
    this.#runs = runs;
    this.#groups = groupsOf(runs.values());
    this.#search.update(this.#groups, runs);
    showProblem(byId('problem', HTMLElement), null);
    byId('live', HTMLElement).hidden = !live;
    this.#show();
    this.#showTimes();
  }

  #failed(problem: string): void {
    showProblem(byId('problem', HTMLElement), `${problem} Trying again.`);
    say(byId('summary', HTMLElement), 'Pending requests cannot be loaded at the moment.');
    for (const id of ['live', 'nothing', 'oldest']) byId(id, HTMLElement).hidden = true;
  }

  #found(): readonly Group[] {
    return this.#search.isActive ? this.#groups.filter((group) => this.#search.matches(group)) : this.#groups;
  }

  /** @returns the requests that have a card */
  #show(): readonly Group[] {
    const { isActive, isReading } = this.#search;
    const found = this.#found();
    const shown = found.slice(0, this.#limit);
    const left = found.length - shown.length;
    this.#board.show(shown, this.#runs);
    this.#more.hidden = left === 0;
    say(this.#more, `Show ${Math.min(SOME, left)} more of ${left}`);
    this.#tidy.hidden = !this.#board.hasSettled;
    summarise({ all: this.#groups, found: isActive ? found.length : null, isReading });
    return shown;
  }

  #showTimes(): void {
    showOldest(this.#groups);
    refreshMoments(this.#place);
  }
}
