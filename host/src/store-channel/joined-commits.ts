import { type CommitOutcome, isStoreError, type RunChange, type Store, type UnplacedRecord } from '@svc/contracts';

interface Commit {
  readonly changes: readonly RunChange[];
  readonly records: readonly UnplacedRecord[];
  readonly resolve: (outcomes: readonly CommitOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits one transaction, like the limit of the kernel's writer. */
const MAX_CHANGES = 256;

/**
 * Joins commits of several gateways that arrive during a write, so that they share one disk sync, as runs of one gateway do. A change sees all
 * earlier ones, joined or not.
 */
export class JoinedCommits {
  readonly #store: Pick<Store, 'commit'>;
  #waiting: Commit[] = [];
  #isWriting = false;

  constructor(store: Pick<Store, 'commit'>) {
    this.#store = store;
  }

  readonly commit: Store['commit'] = (changes, records) =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ changes, records, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const joined = this.#take();
      try {
        await this.#write(joined);
      } catch (error) {
        // Nothing was written, because one of the commits failed. After any other error, the gateways read the stored state.
        const ofOne = joined.length > 1 && isStoreError(error) && (error.code === 'CHAIN' || error.code === 'NAME');
        if (ofOne) for (const commit of joined) await this.#write([commit]).catch(commit.reject);
        else for (const { reject } of joined) reject(error);
      }
    }
    this.#isWriting = false;
  }

  /** The next commit, and later ones that can be joined to it. A commit without changes is written alone, because it may be the test write. */
  #take(): Commit[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ changes }, at) => {
      size += changes.length;
      return at > 0 && (size > MAX_CHANGES || changes.length === 0 || this.#waiting[0]?.changes.length === 0);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #write(commits: readonly Commit[]): Promise<void> {
    let first = 0;
    const records: UnplacedRecord[] = [];
    for (const commit of commits) {
      for (const record of commit.records) records.push(shifted(record, first));
      first += commit.changes.length;
    }
    const outcomes = await this.#store.commit(
      commits.flatMap(({ changes }) => changes),
      records,
    );
    let at = 0;
    for (const { changes, resolve } of commits) {
      resolve(outcomes.slice(at, at + changes.length));
      at += changes.length;
    }
  }
}

function shifted(record: UnplacedRecord, by: number): UnplacedRecord {
  return record.change === null || by === 0 ? record : { ...record, change: record.change + by };
}
