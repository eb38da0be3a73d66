import type { ChatChunkChoice, SvcError } from '@svc/contracts';
import { cloneJson } from '@svc/contracts';
import type { PieceSink } from './frame-writer.ts';
import type { GuardChain } from './guard-chain.ts';
import { GuardedStrategy } from './guarded-strategy.ts';
import type { OpenStrategy } from './open-strategy.ts';
import type { ChunkFields, Ending, StreamStrategy } from './stream-strategy.ts';

const NOWHERE: PieceSink = { send: async () => undefined };

/** An answer that is sent as if there were no nodes, and is shown to nodes that only observe. */
export class ObservedStrategy implements StreamStrategy {
  readonly violation = null;
  readonly left_out = [];
  readonly #open: OpenStrategy;
  readonly #watched: GuardedStrategy;

  constructor(open: OpenStrategy, chain: GuardChain) {
    this.#open = open;
    this.#watched = new GuardedStrategy(NOWHERE, chain, (message) => message);
  }

  get waits(): boolean {
    return this.#watched.waits;
  }

  async take(choice: ChatChunkChoice, fields: ChunkFields): Promise<void> {
    // A copy, before it is sent: collecting its text changes its form.
    const seen = cloneJson(choice);
    await this.#open.take(choice, fields);
    await this.#watched.take(seen, fields);
  }

  flush(): Promise<void> {
    return this.#watched.flush();
  }

  note(fields: ChunkFields): void {
    this.#watched.note(fields);
    this.#open.note(fields);
  }

  async close(ending: Ending): Promise<Ending | SvcError> {
    // Text that cannot be checked does not stop an observed answer.
    await this.#watched.close(ending);
    return this.#open.close(ending);
  }

  async settle(recorded: boolean): Promise<null> {
    await this.#watched.settle(recorded);
    return null;
  }
}
