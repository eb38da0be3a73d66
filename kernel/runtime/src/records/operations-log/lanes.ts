/** `first`: for changes of who may do what. `behind`: for work that any caller can request; it waits for all work in `first`. */
export type Lane = 'first' | 'behind';

type Turn = () => Promise<void>;

/** Runs one piece of work at a time, in the order of the lanes. */
export class Lanes {
  readonly #waiting: Readonly<Record<Lane, Turn[]>> = { first: [], behind: [] };
  #isBusy = false;

  take<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting[lane].push(() => work().then(resolve, reject));
      if (!this.#isBusy) void this.#empty();
    });
  }

  async #empty(): Promise<void> {
    const { first, behind } = this.#waiting;
    this.#isBusy = true;
    for (let turn = first.shift() ?? behind.shift(); turn !== undefined; turn = first.shift() ?? behind.shift()) await turn();
    this.#isBusy = false;
  }
}
