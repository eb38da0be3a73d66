import { type ExportEnv, ExportQueue, type ExportTarget } from '../records/export/queue.ts';
import type { TreeKeeper } from '../records/tree/keeper.ts';
import type { Timestamping } from '../records/tree/timestamping.ts';
import type { Witnessing } from '../records/tree/witnessing.ts';
import type { Closing } from './closing.ts';

/** On shutdown, requests in flight are aborted. Whatever ignores this is abandoned after this time. */
const CLOSE_MS = 2_500;

/** A log that is signed and exported: the ledger or the operations log. */
export class PublishedLog {
  readonly tree: TreeKeeper;
  /** Null: nobody cosigns this log. */
  readonly witnessing: Witnessing | null;
  /** Null: this log gets no time stamps. */
  readonly timestamping: Timestamping | null;
  #queues: readonly ExportQueue[] = [];

  constructor(tree: TreeKeeper, witnessing: Witnessing | null = null, timestamping: Timestamping | null = null) {
    this.tree = tree;
    this.witnessing = witnessing;
    this.timestamping = timestamping;
  }

  export(targets: readonly ExportTarget[], env: ExportEnv): void {
    this.#queues = targets.map((target) => new ExportQueue(target, env));
  }

  /** Notifies the exporters that there may be more records. */
  wake(): void {
    for (const queue of this.#queues) queue.wake();
  }

  /** @param signs whether this process signs, which only the leader does; another process may be the one that exports */
  async checkpoint(signs: boolean): Promise<void> {
    await this.timestamping?.watch();
    const newest = signs ? await this.tree.checkpoint() : await this.tree.newest();
    if (newest === null) return;
    if (!signs) await this.tree.remember(newest);
    if (signs) this.witnessing?.offer(newest);
    const note = (await this.witnessing?.cosigned(newest)) ?? newest.note;
    if (signs) this.timestamping?.offer({ ...newest, note });
    for (const queue of this.#queues) queue.checkpoint({ ...newest, note });
  }

  async close(closing: Closing): Promise<void> {
    const exporters = this.#queues.map((queue) => closing.end(`exporter ${queue.name}`, CLOSE_MS, () => queue.close()));
    const others = [['witnesses', this.witnessing] as const, ['time stamps', this.timestamping] as const];
    await Promise.all([
      ...exporters,
      ...others.flatMap(([name, part]) => (part === null ? [] : [closing.end(name, CLOSE_MS, () => part.close())])),
    ]);
  }
}
