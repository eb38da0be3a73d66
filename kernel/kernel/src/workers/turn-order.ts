export interface Waiting {
  readonly principal_id: string;
  /** When the task last had a turn, as counted by {@link TurnOrder.now}. */
  turn: number;
}

interface Share {
  running: number;
  /** When it last had a turn. */
  turn: number;
  tasks: number;
}

/**
 * Decides whose turn is next: that of the principal with the fewest turns in progress or, among equals, the one whose last turn was longest ago. The
 * tasks of a principal are ordered in the same way. So nobody waits longer because another principal has more tasks.
 */
export class TurnOrder {
  #turn = 0;
  readonly #shares = new Map<string, Share>();

  /** The turn number of a new task. It places the task after all that have had a turn, except the one with the latest turn. */
  get now(): number {
    return this.#turn - 0.5;
  }

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

  /** Whether `one` goes before `other`. If they are equal, the caller takes the one that arrived first. */
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
    if (share === undefined) throw new Error('the principal has not joined');
    return share;
  }
}
