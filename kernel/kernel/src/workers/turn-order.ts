/** One that waits for a turn. */
export interface Waiting {
  readonly principal_id: string;
  /** When it last had a turn; see {@link TurnOrder.now}. */
  turn: number;
}

interface Share {
  /** Turns that it has now. */
  running: number;
  /** When it last got one. */
  turn: number;
  /** How many of its tasks there are. */
  tasks: number;
}

/**
 * Whose turn it is: the principal with the fewest current turns; among equals, the one whose last turn is longest ago. The same applies to its tasks.
 * So nobody waits longer because another principal has more work.
 */
export class TurnOrder {
  /** Counts the turns. */
  #turn = 0;
  readonly #shares = new Map<string, Share>();

  /** The position of a newcomer: after all that had a turn before, except the last one. */
  get now(): number {
    return this.#turn - 0.5;
  }

  /** How many principals there are. */
  get principals(): number {
    return this.#shares.size;
  }

  join({ principal_id }: Waiting): void {
    const share = this.#shares.get(principal_id) ?? { running: 0, turn: this.now, tasks: 0 };
    share.tasks += 1;
    this.#shares.set(principal_id, share);
  }

  leave({ principal_id }: Waiting): void {
    const share = this.#share(principal_id);
    share.tasks -= 1;
    if (share.tasks === 0) this.#shares.delete(principal_id);
  }

  began(waiting: Waiting): void {
    this.#turn += 1;
    waiting.turn = this.#turn;
    const share = this.#share(waiting.principal_id);
    share.turn = this.#turn;
    share.running += 1;
  }

  ended({ principal_id }: Waiting): void {
    this.#share(principal_id).running -= 1;
  }

  /** Whether the first one goes first. Ties go to the one that came first, which the caller knows. */
  precedes(one: Waiting, other: Waiting): boolean {
    if (one.principal_id !== other.principal_id) {
      const [a, b] = [this.#share(one.principal_id), this.#share(other.principal_id)];
      if (a.running !== b.running) return a.running < b.running;
      if (a.turn !== b.turn) return a.turn < b.turn;
    }
    return one.turn < other.turn;
  }

  #share(principal_id: string): Share {
    const share = this.#shares.get(principal_id);
    if (share === undefined) throw new Error('it has not joined');
    return share;
  }
}
