import type { StoredRun } from '../shared/api-types.ts';
import { eachOf } from '../shared/each-of.ts';
import type { Session } from '../shared/session.ts';
import { RunCard } from './run-card.ts';
import { pausesOf } from './run-facts.ts';
import { type Group, oldestFirst } from './waiting-runs.ts';

/** Number of contents to read at a time. */
const LOADS_AT_ONCE = 4;

/**
 * The cards. A card covers all runs that one decision applies to, and belongs to the run for which it was created. Existing cards stay in place, so
 * that focus and unfinished decisions survive.
 */
export class CardBoard {
  readonly #session: Session;
  readonly #place: HTMLElement;
  readonly #onDecided: (run?: StoredRun) => void;
  readonly #cards = new Map<string, RunCard>();

  constructor(place: HTMLElement, session: Session, onDecided: (run?: StoredRun) => void) {
    this.#place = place;
    this.#session = session;
    this.#onDecided = onDecided;
  }

  get hasSettled(): boolean {
    return [...this.#cards.values()].some(({ settled }) => settled);
  }

  /** Call it when a run is no longer paused. */
  ended(run: StoredRun): void {
    for (const card of this.#cards.values()) if (card.run.run_id === run.run_id) card.ended(run);
  }

  /** Shows these requests, those that the visitor is deciding, and the decided ones until they are cleared. @param waiting all paused runs */
  show(groups: readonly Group[], waiting: ReadonlyMap<string, StoredRun>): void {
    this.#settle(waiting);
    const cards = groups.map((group) => this.#cardOf(group));
    const kept = [...this.#cards.values()].filter((card) => card.isBeyondOthers);
    arrange(
      this.#place,
      [...new Set([...cards, ...kept])].sort((a, b) => oldestFirst(a.run, b.run)),
    );
    void eachOf(cards, LOADS_AT_ONCE, (card) => card.load());
  }

  /** Removes the cards of decided requests. */
  tidy(): void {
    for (const [key, card] of this.#cards) if (card.settled) this.#remove(key, card);
  }

  focus(group: Group | undefined): void {
    if (group !== undefined) this.#cardOf(group).element.focus();
  }

  #cardOf(group: Group): RunCard {
    const [oldest] = group;
    const known = group.map((run) => this.#cards.get(keyOf(run))).find((card) => card !== undefined && !card.settled);
    const card = known ?? new RunCard(this.#session, oldest, this.#onDecided);
    if (known === undefined) this.#cards.set(keyOf(oldest), card);
    card.update(group);
    return card;
  }

  /** Finds out how the runs that have left the list were decided. */
  #settle(waiting: ReadonlyMap<string, StoredRun>): void {
    for (const [key, card] of this.#cards) {
      const run = waiting.get(card.run.run_id);
      if (run !== undefined && keyOf(run) === key) continue;
      // Only those who may decide see the events. If that has changed, the run gets another card.
      const isOther = run !== undefined && (run.events.length === 0) !== (card.run.events.length === 0);
      if (card.isBeyondOthers) continue;
      if ((isOther || !card.element.isConnected) && !card.hasUnsent) this.#remove(key, card);
      else if (run === undefined) void card.gone();
      else card.ended(run);
    }
  }

  #remove(key: string, card: RunCard): void {
    card.element.remove();
    this.#cards.delete(key);
  }
}

/** A run that paused again needs a new decision. */
function keyOf({ run_id, events }: StoredRun): string {
  return `${run_id} ${pausesOf(events)}`;
}

/** Arranges a place's cards in this order. Does not move a card that is in order, because a move would remove its focus. */
function arrange(place: HTMLElement, cards: readonly RunCard[]): void {
  const wanted = new Set<Element>(cards.map(({ element }) => element));
  for (const child of [...place.children]) if (!wanted.has(child)) child.remove();
  let next = place.firstElementChild;
  for (const { element } of cards) {
    if (element === next) next = next.nextElementSibling;
    else place.insertBefore(element, next);
  }
}
