import type { Exporter, ExportRecord, Lease, LedgerQuery, Store } from '@svc/contracts';
import { noopObserver } from '@svc/kernel/observing';
import { ExportQueue } from '../../kernel/runtime/src/records/export/queue.ts';
import { parseMessage } from '../../plugins/exporter-syslog/src/collector-fixture.ts';
import { TestRsyslog } from '../harness/rsyslog.ts';

const silent = (): void => undefined;

/**
 * An rsyslog that stores a message before it reads on, as the package's README recommends. Each stored line is the type that rsyslog found, and the
 * message as it came.
 */
export function startRsyslog(): Promise<TestRsyslog> {
  return TestRsyslog.start(`template(name="line" type="string" string="%msgid% %rawmsg%\\n")
ruleset(name="svc" queue.type="Direct") { action(type="omfile" file="FILE" template="line") }`);
}

/** The records that rsyslog stored, in order, each one once. Checks the form of each message. */
export function storedRecords(rsyslog: TestRsyslog, isWanted: (ledger: string) => boolean = () => true): string[] {
  const byHash = new Map<string, string>();
  for (const line of rsyslog.lines()) {
    const space = line.indexOf(' ');
    const { message_id, text, parameters } = parseMessage(Buffer.from(line.slice(space + 1)));
    const record: { hash: string; seq: number } = JSON.parse(text);
    if (message_id !== line.slice(0, space) || record.hash !== parameters.hash || String(record.seq) !== parameters.seq)
      throw new Error(`rsyslog read another message: ${line.slice(0, 200)}`);
    if (isWanted(parameters.ledger ?? '') && !byHash.has(record.hash)) byHash.set(record.hash, text);
  }
  return [...byHash.values()];
}

/** A log in memory, with the parts of a store that a queue uses, and the queue of an exporter over it. */
export class ExportedLog {
  readonly records: ExportRecord[] = [];
  /** Reasons of failed deliveries. */
  readonly failures: string[] = [];
  /** Whether a delivery is in flight. */
  isDelivering = false;
  readonly #queue: ExportQueue;
  #cursor = 0;

  constructor(exporter: Exporter) {
    const store = {
      head: async () => this.records.at(-1) ?? null,
      records: async ({ since_seq, limit }: LedgerQuery) => this.records.slice(since_seq, since_seq + limit),
      cursor: async () => this.#cursor,
      moveCursor: async (_: string, seq: number) => {
        this.#cursor = seq;
        return true;
      },
      acquireLease: async (name: string, holder: string): Promise<Lease> => ({ name, holder, token: 1 }),
      releaseLease: async () => undefined,
    } as unknown as Store;
    const observer = { ...noopObserver, exportFailed: (_: string, reason: string) => void this.failures.push(reason) };
    const logger = { debug: silent, info: silent, warn: silent, error: silent };
    const env = { store, source: store, logger, observer, instance: 'a', ledgerId: 'svc-ledger-1' };
    this.#queue = new ExportQueue({ name: 'siem', exporter: this.#watched(exporter), from: 'start' }, env);
  }

  #watched(exporter: Exporter): Exporter {
    return {
      open: (context) => exporter.open(context),
      deliver: (records, signal) => {
        this.isDelivering = true;
        return exporter.deliver(records, signal).finally(() => {
          this.isDelivering = false;
        });
      },
      close: () => exporter.close(),
    };
  }

  get bytes(): string[] {
    return this.records.map(({ bytes }) => bytes);
  }

  append(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const seq = this.records.length + 1;
      const hash = `sha256:${String(seq).padStart(64, '0')}`;
      const fields = { completed_at: new Date().toISOString(), hash, record_type: 'run_evidence', seq, status: 'completed' };
      this.records.push({ seq, hash, bytes: JSON.stringify({ ...fields, text: 'é😀 "quoted" \\ | = ]' }) });
    }
    this.#queue.wake();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
