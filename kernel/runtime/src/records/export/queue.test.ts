import type { Exporter, ExportRecord, Lease, LedgerQuery, Logger, Store } from '@svc/contracts';
import { noopObserver } from '@svc/kernel/observing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoffMs } from '../retry/backoff.ts';
import { type ExportEnv, ExportQueue } from './queue.ts';

/** The parts of a store that the queue uses. */
class Ledger {
  length = 0;
  readonly cursors = new Map<string, number>();
  lease: (Lease & { until: number }) | null = null;
  reads = 0;
  leaseRequests = 0;

  head = async () => (this.length === 0 ? null : { seq: this.length, hash: hashOf(this.length) });
  records = async ({ since_seq, limit }: LedgerQuery) => {
    this.reads += 1;
    const count = Math.max(0, Math.min(limit, this.length - since_seq));
    return Array.from({ length: count }, (_, i) => ({ seq: since_seq + i + 1, bytes: bytesOf(since_seq + i + 1) }));
  };
  cursor = async (name: string) => this.cursors.get(name) ?? 0;
  moveCursor = async (name: string, seq: number, { token }: Lease) => {
    if (this.lease?.token !== token) return false;
    this.cursors.set(name, seq);
    return true;
  };
  acquireLease = async (name: string, holder: string, ttl_ms: number) => {
    this.leaseRequests += 1;
    const now = Date.now();
    if (this.lease !== null && this.lease.until > now && this.lease.holder !== holder) return null;
    const token = this.lease?.holder === holder && this.lease.until > now ? this.lease.token : (this.lease?.token ?? 0) + 1;
    this.lease = { name, holder, token, until: now + ttl_ms };
    return { name, holder, token };
  };
  releaseLease = async () => {
    if (this.lease !== null) this.lease.until = 0;
  };
}

const hashOf = (seq: number): string => `sha256:${String(seq).padStart(64, '0')}`;
const bytesOf = (seq: number): string => JSON.stringify({ hash: hashOf(seq), seq });

/** A destination that keeps what it receives, and fails on demand. */
class Sink implements Exporter {
  readonly taken: number[] = [];
  readonly notes: string[] = [];
  opened: number[] = [];
  inFlight = 0;
  behave: (records: readonly ExportRecord[], signal: AbortSignal) => Promise<number> = async (records) =>
    records.at(-1)?.seq ?? 0;

  open = async ({ cursor }: { cursor: number }) => void this.opened.push(cursor);
  deliver = async (records: readonly ExportRecord[], signal: AbortSignal) => {
    expect(++this.inFlight).toBe(1);
    try {
      const through = await this.behave(records, signal);
      this.taken.push(...records.map(({ seq }) => seq).filter((seq) => seq <= through));
      return { through };
    } finally {
      this.inFlight -= 1;
    }
  };
  refusesCheckpoints = false;
  checkpoint = async (note: string) => {
    if (this.refusesCheckpoints) throw new Error('no');
    this.notes.push(note);
  };
  close = async () => undefined;
}

const failures: string[] = [];
const progress: number[] = [];
const silent = (): void => undefined;
const warnings: object[] = [];
const logger: Logger = { debug: silent, info: silent, warn: (line) => void warnings.push(line), error: silent };

function queueOver(ledger: Ledger, sink: Exporter, options: { instance?: string; from?: 'start' | 'now' } = {}): ExportQueue {
  const env: ExportEnv = {
    store: ledger as unknown as Store,
    source: ledger as unknown as Store,
    logger,
    observer: {
      ...noopObserver,
      exported: (_, through) => void progress.push(through),
      exportFailed: (_, reason) => void failures.push(reason),
    },
    instance: options.instance ?? 'a',
    ledgerId: 'ledger',
  };
  return new ExportQueue({ name: 'sink', exporter: sink, from: options.from ?? 'start' }, env);
}

const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

beforeEach(() => {
  vi.useFakeTimers();
  failures.length = 0;
  progress.length = 0;
  warnings.length = 0;
});
afterEach(() => vi.useRealTimers());

describe('an export queue', () => {
  it('delivers everything in order, and later records when it is woken or polls', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 1000;
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(10);
    expect(sink.taken).toEqual(upTo(1000));
    ledger.length = 1001;
    queue.wake();
    await vi.advanceTimersByTimeAsync(1);
    expect(sink.taken).toEqual(upTo(1001));
    ledger.length = 1002;
    await vi.advanceTimersByTimeAsync(1000);
    expect(sink.taken).toEqual(upTo(1002));
    expect(sink.opened).toEqual([0]);
    await queue.close();
    expect(ledger.cursors.get('sink')).toBe(1002);
  });

  it('retries for ever after failures, from the last accepted record, at growing intervals', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 600;
    sink.behave = async () => {
      throw Object.assign(new Error('the secret text of a sink'), { code: 'ECONNREFUSED' });
    };
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(24 * 3600 * 1000);
    expect(failures.length).toBeGreaterThan(24 * 60 - 10);
    expect(failures.length).toBeLessThan(2 * 24 * 60 + 20);
    expect(new Set(failures)).toEqual(new Set(['ECONNREFUSED']));
    expect(sink.taken).toEqual([]);
    sink.behave = async (records) => (records[0]?.seq ?? 0) + 9;
    await vi.advanceTimersByTimeAsync(61_000);
    expect(sink.taken.slice(0, 600)).toEqual(upTo(600));
    await queue.close();
  });

  it('releases its lease at the end, even while it waits after a failure', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 1;
    sink.behave = async () => {
      throw new Error('no');
    };
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ledger.acquireLease('export/sink', 'b', 1000)).toBeNull();
    await queue.close();
    expect(await ledger.acquireLease('export/sink', 'b', 1000)).not.toBeNull();
  });

  it('logs that the exporter failed to close and that the lease was not released', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    sink.close = async () => Promise.reject(new TypeError('secret'));
    ledger.releaseLease = async () => Promise.reject(Object.assign(new Error('secret'), { code: 'UNREACHABLE' }));
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(10);
    await queue.close();
    expect(warnings).toEqual([
      { event: 'export_close_failed', exporter: 'sink', reason: 'TypeError' },
      { event: 'export_lease_kept', exporter: 'sink', reason: 'UNREACHABLE' },
    ]);
  });

  it('waits as long as a sink asks for before it returns', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 1;
    sink.behave = async () => {
      throw Object.assign(new Error(), { retry_after_ms: 600_000 });
    };
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(599_000);
    expect(failures).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(failures).toHaveLength(2);
    await queue.close();
  });

  it('accounts for the records that a sink accepted before it failed', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 10;
    const begun: number[] = [];
    sink.behave = async (records) => {
      const first = records[0]?.seq ?? 0;
      begun.push(first);
      // The first delivery stores nothing; each later one stores three records.
      throw Object.assign(new Error(), { code: 'BUSY', through: begun.length === 1 ? first - 1 : Math.min(10, first + 2) });
    };
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun.slice(0, 5)).toEqual([1, 1, 4, 7, 10]);
    expect(ledger.cursors.get('sink')).toBe(10);
    expect(progress).toEqual([3, 6, 9, 10]);
    expect(failures).toEqual(Array(5).fill('BUSY'));
    await queue.close();
  });

  it.each<[unknown, string]>([
    [Object.assign(new Error(), { code: 'what was sent: a secret' }), 'Error'],
    [Object.assign(new Error(), { name: 'what was sent' }), 'unknown'],
    ['what was sent', 'unknown'],
  ])('reports the reason only as a code: %o', async (thrown, reason) => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 1;
    sink.behave = async () => {
      throw thrown;
    };
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(1);
    expect(failures).toEqual([reason]);
    await queue.close();
  });

  it('delivers every record in order to the sink, with none left out, whatever fails', async () => {
    const moods = fc.array(fc.constantFrom('well', 'part', 'fail', 'none', 'too far', 'restart'), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(moods, fc.integer({ min: 1, max: 1500 }), async (plan, length) => {
        const [ledger, sink] = [new Ledger(), new Sink()];
        ledger.length = length;
        let at = 0;
        sink.behave = async (records) => {
          const [first = 0, last = 0] = [records[0]?.seq, records.at(-1)?.seq];
          switch (plan[at++]) {
            case 'fail':
              throw new Error('no');
            case 'part':
              return first + Math.floor((last - first) / 2);
            case 'none':
              return first - 1;
            case 'too far':
              return last + 1;
            default:
              return last;
          }
        };
        let queue = queueOver(ledger, sink);
        for (const mood of plan) {
          await vi.advanceTimersByTimeAsync(60_000);
          if (mood !== 'restart') continue;
          await queue.close();
          queue = queueOver(ledger, sink);
        }
        await vi.advanceTimersByTimeAsync(120_000);
        await queue.close();
        // Delivery is at least once: if the response to a batch is lost, the batch is delivered again. First deliveries are in order.
        const firstTimes = [...new Set(sink.taken)];
        expect(firstTimes).toEqual(upTo(length));
        expect(ledger.cursors.get('sink')).toBe(length);
      }),
    );
  });

  it('aborts a delivery that takes too long, and starts no other before it has ended', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 3;
    let gaveUp = 0;
    sink.behave = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          gaveUp += 1;
          reject(new Error('given up'));
        });
      });
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(gaveUp).toBe(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(gaveUp).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await queue.close();
    expect(gaveUp).toBe(2);
  });

  it('of two processes one delivers, and the other takes over when its lease has expired', async () => {
    const [ledger, one, two] = [new Ledger(), new Sink(), new Sink()];
    ledger.length = 10;
    const first = queueOver(ledger, one, { instance: 'a' });
    const second = queueOver(ledger, two, { instance: 'b' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([one.taken, two.taken]).toEqual([upTo(10), []]);
    // The process was suspended: it does not renew its lease, and wakes up too late.
    ledger.lease = { name: 'export/sink', holder: 'c', token: (ledger.lease?.token ?? 0) + 1, until: Date.now() + 15_000 };
    await vi.advanceTimersByTimeAsync(10_001);
    ledger.length = 12;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(one.taken).toEqual(upTo(10));
    await vi.advanceTimersByTimeAsync(40_000);
    expect([...one.taken, ...two.taken].filter((seq) => seq > 10)).toEqual([11, 12]);
    await Promise.all([first.close(), second.close()]);
  });

  it('of two processes the other is not woken by commits, and forgets a failure once it makes progress elsewhere', async () => {
    const [ledger, one, two] = [new Ledger(), new Sink(), new Sink()];
    ledger.length = 10;
    one.behave = async () => {
      throw Object.assign(new Error(), { retry_after_ms: 60_000 });
    };
    const first = queueOver(ledger, one, { instance: 'a' });
    await vi.advanceTimersByTimeAsync(1);
    const second = queueOver(ledger, two, { instance: 'b' });
    await vi.advanceTimersByTimeAsync(50_000);
    expect([one.taken, two.taken]).toEqual([[], upTo(10)]);
    progress.length = 0;
    await vi.advanceTimersByTimeAsync(11_000);
    expect(progress).toEqual([10]);
    ledger.leaseRequests = 0;
    for (let i = 0; i < 100; i++) {
      first.wake();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(ledger.leaseRequests).toBeLessThan(3);
    await Promise.all([first.close(), second.close()]);
  });

  it('begins to deliver under a new name at the configured place', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    ledger.length = 10;
    const queue = queueOver(ledger, sink, { from: 'now' });
    await vi.advanceTimersByTimeAsync(10);
    ledger.length = 12;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sink.taken).toEqual([11, 12]);
    await queue.close();
  });

  it('delivers the newest checkpoint once it is idle', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    const queue = queueOver(ledger, sink);
    queue.checkpoint({ note: 'one', size: 0 });
    queue.checkpoint({ note: 'two', size: 0 });
    await vi.advanceTimersByTimeAsync(10);
    expect(sink.notes).toEqual(['two']);
    await queue.close();
  });

  it('delivers a checkpoint when its records are delivered, even if there are always more', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    const seen: [number, number][] = [];
    sink.checkpoint = async (note) => void seen.push([Number(note), sink.taken.length]);
    sink.behave = async (records) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      // New records arrive faster than they are delivered.
      ledger.length += 300;
      queue.checkpoint({ note: String(ledger.length), size: ledger.length });
      return records.at(-1)?.seq ?? 0;
    };
    ledger.length = 300;
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(500);
    expect(seen.length).toBeGreaterThan(5);
    const closed = queue.close();
    await vi.advanceTimersByTimeAsync(100);
    await closed;
    for (const [size, delivered] of seen) expect(delivered).toBeGreaterThanOrEqual(size);
    expect(seen.map(([size]) => size)).toEqual(seen.map(([size]) => size).sort((a, b) => a - b));
  });

  it('delivers the same checkpoint once, and repeats a failed one when it is offered again', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    const queue = queueOver(ledger, sink);
    const offer = async () => {
      queue.checkpoint({ note: 'one', size: 0 });
      await vi.advanceTimersByTimeAsync(10);
    };
    sink.refusesCheckpoints = true;
    await offer();
    expect([sink.notes, failures]).toEqual([[], ['Error']]);
    // In the meantime, records are delivered without a wait.
    ledger.length = 5;
    queue.wake();
    await vi.advanceTimersByTimeAsync(10);
    expect(sink.taken).toEqual(upTo(5));
    sink.refusesCheckpoints = false;
    await offer();
    await offer();
    expect([sink.notes, sink.opened]).toEqual([['one'], [0]]);
    await queue.close();
  });

  it('waits without work: it polls once a second', async () => {
    const [ledger, sink] = [new Ledger(), new Sink()];
    const queue = queueOver(ledger, sink);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ledger.reads).toBeLessThan(13);
    await queue.close();
  });
});

describe('backoff', () => {
  it('doubles up to a minute, with a random half', () => {
    expect([1, 2, 3, 8, 50].map((failures) => backoffMs(failures, () => 1))).toEqual([500, 1000, 2000, 60_000, 60_000]);
    expect(backoffMs(1, () => 0)).toBe(250);
  });
});
