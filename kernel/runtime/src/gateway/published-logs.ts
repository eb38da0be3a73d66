import type { Clock, Logger, Operation, Store } from '@svc/contracts';
import type { Observer } from '@svc/kernel/observing';
import { canonicalJson, operationsOrigin, verifierKey } from '@svc/ledger';
import type { ExportTarget } from '../records/export/queue.ts';
import { ledgerId } from '../records/ledger/ledger-id.ts';
import { recordSigners, type SigningKeys, signersOf } from '../records/ledger/signing-keys.ts';
import type { OperationsLog } from '../records/operations-log/operations-log.ts';
import { OPERATIONS_KEYS } from '../records/operations-log/records.ts';
import { NotSigned } from '../records/tree/checked-key.ts';
import { TreeKeeper } from '../records/tree/keeper.ts';
import { Timestamping } from '../records/tree/timestamping.ts';
import { Witnessing } from '../records/tree/witnessing.ts';
import type { Closing } from './closing.ts';
import type { LedgerOptions } from './gateway-options.ts';
import { PublishedLog } from './published-log.ts';
import { quietly } from './quietly.ts';

interface Parts {
  readonly store: Store;
  readonly logger: Logger;
  readonly ledger: LedgerOptions;
  readonly clock: Clock;
  readonly observer: Observer;
}

/** The ledger and the operations log: both are signed and exported. */
export class PublishedLogs {
  readonly ledger: PublishedLog;
  readonly operations: PublishedLog;
  readonly #log: OperationsLog;
  readonly #parts: Parts;

  private constructor(ledger: PublishedLog, operations: PublishedLog, log: OperationsLog, parts: Parts) {
    this.ledger = ledger;
    this.operations = operations;
    this.#log = log;
    this.#parts = parts;
  }

  /** @throws if a log is older than its pinned checkpoint, or a key does not belong to it */
  static async open(log: OperationsLog, parts: Parts): Promise<PublishedLogs> {
    const { store, logger, ledger } = parts;
    const { signing_keys, checkpoint_pin, witnessing, timestamping } = ledger;
    // Checked before a signing key is created: a key that exists without a ledger id belongs to another ledger.
    const id = await ledgerId(store);
    const origin = ledger.origin ?? id;
    const signers = await signersOf(signing_keys, { store, logger, origin });
    await recordSigners(signers, signing_keys, { store, logger, origin });
    const evidence = new TreeKeeper({ store, logger, origin, signers, checkpointPin: checkpoint_pin });
    // An older copy of the log would make revoked keys valid again.
    const changes = new TreeKeeper({
      store: log.records,
      logger,
      origin: operationsOrigin(origin),
      signers,
      checkpointPin: checkpoint_pin?.ofOperations() ?? null,
    });
    for (const tree of [evidence, changes]) await tree.checkPin();
    await checkpoint_pin?.assertWritable();
    const witnesses = witnessing && new Witnessing({ ...parts, tree: evidence }, witnessing);
    const timestamps = timestamping && new Timestamping({ ...parts, tree: evidence }, timestamping);
    // Runs are refused from the start if records have waited for too long.
    await timestamps?.watch();
    return new PublishedLogs(new PublishedLog(evidence, witnesses, timestamps), new PublishedLog(changes), log, parts);
  }

  /**
   * Prepares other signing keys.
   * @returns a function that uses them from the next signature on
   * @throws {Error} if the gateway is to use its own key, which did not sign this ledger
   */
  async prepareKeys(keys: SigningKeys): Promise<() => void> {
    const { store, logger } = this.#parts;
    const env = { store, logger, origin: this.ledger.tree.origin };
    const signers = await signersOf(keys, env);
    return () => {
      const isSame = canonicalJson(signers.map(verifierKey)) === canonicalJson(this.ledger.tree.verifierKeys);
      for (const { tree } of [this.ledger, this.operations]) tree.useSigners(signers);
      if (isSame) return;
      void quietly('ledger_keys', logger, () => recordSigners(signers, keys, env));
      // At the next start, one of the keys must have signed the pinned checkpoint.
      void this.signAll();
    };
  }

  /** Called when an operation was appended. */
  recorded(operation: Operation): void {
    this.operations.tree.written([operation]);
    this.operations.wake();
  }

  /** Starts the export queues. */
  async export(exporters: readonly ExportTarget[], env: { instance: string; observer: Observer }): Promise<void> {
    const { store, logger } = this.#parts;
    const ledgerIdOfStore = await ledgerId(store);
    const common = { ...env, store, logger };
    this.ledger.export(exporters, { ...common, source: store, ledgerId: ledgerIdOfStore });
    this.operations.export(exporters.flatMap(operationsTarget), {
      ...common,
      source: { records: (query) => this.#log.records.records(query), head: () => this.#log.head() },
      ledgerId: operationsOrigin(ledgerIdOfStore),
    });
  }

  /** Signs checkpoints if this process is the leader. If one log was altered, the other one is still signed. */
  checkpoint(isLeader: boolean): Promise<unknown> {
    return this.#each((log) => log.checkpoint(isLeader));
  }

  /** Gives up the signatures in progress, so that {@link signAll} need not wait for a key that hangs. */
  giveUp(): void {
    for (const { tree } of [this.ledger, this.operations]) tree.giveUp();
  }

  /** Signs all records, also in a process that is not the leader, if the store and the keys answer. */
  signAll(): Promise<unknown> {
    return this.#each(({ tree }) => tree.checkpoint());
  }

  async close(closing: Closing): Promise<void> {
    await Promise.all([this.ledger.close(closing), this.operations.close(closing)]);
  }

  #each(work: (log: PublishedLog) => unknown): Promise<unknown> {
    const { logger, ledger } = this.#parts;
    const counted = async (log: PublishedLog): Promise<void> => {
      try {
        await work(log);
      } catch (error) {
        if (error instanceof NotSigned) ledger.not_signed?.();
        throw error;
      }
    };
    return Promise.all([this.ledger, this.operations].map((log) => quietly('checkpoint', logger, () => counted(log))));
  }
}

function operationsTarget({ name, exporter, from }: ExportTarget): ExportTarget[] {
  const { operations } = exporter;
  return operations === undefined ? [] : [{ name: `${OPERATIONS_KEYS}${name}`, exporter: operations, from }];
}
