import type { Api } from '../shared/api.ts';
import { ApiError } from '../shared/api-error.ts';
import type { StoredRun } from '../shared/api-types.ts';
import { eachOf } from '../shared/each-of.ts';
import { contentText } from './search.ts';

/** Number of reads at a time, so that the page's other requests need not wait. */
const READS_AT_ONCE = 4;

/** Statuses for a run that the visitor cannot read, or that was decided meanwhile. */
const UNREADABLE = [403, 404, 409];

/** `text`: null if it could not be read. */
interface Known {
  readonly events: number;
  readonly text: string | null;
}

/** The texts of pending runs, for a search. Each is read once, unless an approver edits it. */
export class Contents {
  readonly #api: Pick<Api, 'pending'>;
  readonly #texts = new Map<string, Known>();

  constructor(api: Pick<Api, 'pending'>) {
    this.#api = api;
  }

  /** Empty: it was not read, or the visitor cannot read it. */
  textOf({ run_id }: StoredRun): string {
    return this.#texts.get(run_id)?.text ?? '';
  }

  /** The number of texts that could not be read, so that no search finds them. */
  get failures(): number {
    return [...this.#texts.values()].filter(({ text }) => text === null).length;
  }

  isRead({ run_id, events }: StoredRun): boolean {
    return this.#texts.get(run_id)?.events === events.length;
  }

  /** Reads the missing texts. @param progress called after each read @param isOver whether the texts are no longer needed */
  async read(runs: readonly StoredRun[], progress: (left: number) => void, isOver: () => boolean): Promise<void> {
    const missing = runs.filter((run) => !this.isRead(run));
    let left = missing.length;
    await eachOf(missing, READS_AT_ONCE, async (run) => {
      if (isOver()) return;
      const text = await this.#api
        .pending(run.run_id)
        .then(contentText, (error) => (error instanceof ApiError && UNREADABLE.includes(error.status) ? '' : null));
      this.#texts.set(run.run_id, { events: run.events.length, text });
      left -= 1;
      progress(left);
    });
  }

  /** Drops the texts of all other runs. */
  keep(runs: ReadonlyMap<string, StoredRun>): void {
    for (const run_id of this.#texts.keys()) if (!runs.has(run_id)) this.#texts.delete(run_id);
  }
}
