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
 * Whose turn it is: the principal with the fewest turns now, of several the one that got its last turn longest ago; of its tasks the same.
 * So nobody waits longer because another principal has more to do.
 */
export class TurnOrder {
  /** Counts the turns. */
  #turn = 0;
  readonly #shares = new Map<string, Share>();

  /** The time of who comes now: after all that had a turn before, but for the one that got the last. */
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

  /** Whether the turn is rather the first one's. Of equals it is that of who came first, which the caller knows. */
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
