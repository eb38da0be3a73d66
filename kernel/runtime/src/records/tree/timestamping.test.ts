import { generateKeyPairSync } from 'node:crypto';
import type { Logger } from '@svc/contracts';
import type { Observer } from '@svc/kernel/observing';
import { checkpointText, EMPTY_ROOT, type Signer, signingKey, signNote } from '@svc/ledger';
import { expect, it } from 'vitest';
import { Timestamping, type TimestampOptions } from './timestamping.ts';

const HOUR_MS = 3_600_000;
const ORIGIN = 'example.org/gateway';

/** A log whose authority works, or fails with this code. */
function logOf({ max_age_ms = null as number | null, every_ms = HOUR_MS } = {}) {
  const meta = new Map<string, string>();
  const signer = (name: string): Signer => ({ name, key: signingKey(generateKeyPairSync('ed25519').privateKey) });
  const noteOf = (size: number, origin = ORIGIN) =>
    signNote(checkpointText({ origin, size, root: EMPTY_ROOT }), [signer(origin)]);
  const state = { now: 0, records: 0, failure: null as string | null, asked: 0 };
  const reported: string[] = [];
  const events: unknown[] = [];
  const log = ({ event }: { event?: unknown }) => void events.push(event);
  const authority: TimestampOptions['authority'] = {
    stamp: async (data) => {
      state.asked += 1;
      if (state.failure !== null) throw Object.assign(new Error('not quoted'), { code: state.failure });
      return { reply: Buffer.concat([Buffer.from('token of '), data]), time: new Date(state.now) };
    },
  };
  const open = (origin = ORIGIN) =>
    new Timestamping(
      {
        store: {
          readMeta: async (key) => meta.get(key) ?? null,
          writeMeta: async (key, _, value) => Boolean(meta.set(key, value)),
          head: async () => ({ seq: state.records, hash: '' }) as never,
        },
        clock: { now: () => state.now, monotonic: () => state.now },
        logger: { debug: log, info: log, warn: log, error: log } as unknown as Logger,
        observer: {
          timestampFailed: (reason: string) => void reported.push(reason),
        } as unknown as Observer,
        tree: { origin },
      },
      { authority, every_ms, max_age_ms },
    );
  const round = async (timestamping: Timestamping, size: number): Promise<string> => {
    state.records = Math.max(state.records, size);
    const note = await noteOf(size);
    await timestamping.watch();
    timestamping.offer({ note, size });
    await new Promise((resolve) => setTimeout(resolve));
    return note;
  };
  return { state, reported, events, open, round };
}

it('stamps all bytes of a note, and the next one only when it is due and the log has grown', async () => {
  const { state, open, round } = logOf();
  const timestamping = open();
  const note = await round(timestamping, 3);
  const stamped = await timestamping.newest();
  expect(stamped).toMatchObject({ note, size: 3, time: new Date(0) });
  expect(Buffer.from(stamped?.reply ?? []).toString()).toBe(`token of ${note}`);
  state.now = HOUR_MS - 1;
  await round(timestamping, 4);
  state.now = HOUR_MS;
  await round(timestamping, 3);
  expect(state.asked).toBe(1);
  await round(timestamping, 4);
  expect(state.asked).toBe(2);
  // Another process reads the same.
  expect(await open().newest()).toMatchObject({ size: 4 });
});

it('waits after a failure, reports its code, and never refuses if tokens are not required', async () => {
  const { state, reported, open, round } = logOf();
  const timestamping = open();
  state.failure = 'WRONG_NONCE';
  await round(timestamping, 1);
  await round(timestamping, 1);
  expect(reported).toEqual(['WRONG_NONCE']);
  state.now = 365 * 24 * HOUR_MS;
  await timestamping.watch();
  expect(timestamping.isOverdue).toBe(false);
  state.failure = null;
  await round(timestamping, 1);
  expect(reported).toEqual(['WRONG_NONCE']);
  expect(await timestamping.newest()).toMatchObject({ size: 1 });
});

it('is overdue when records wait too long, also after a restart, and until the next token', async () => {
  const { state, events, open, round } = logOf({ max_age_ms: 2 * HOUR_MS });
  const before = open();
  state.failure = 'ECONNREFUSED';
  await round(before, 1);
  state.now = 2 * HOUR_MS + 1;
  // Requests notice it without a look at the store.
  expect(() => before.assertRecent()).toThrow(expect.objectContaining({ code: 'SVC-STORE-001' }));
  const after = open();
  await after.watch();
  expect(after.isOverdue).toBe(true);
  state.failure = null;
  await round(after, 1);
  expect(() => after.assertRecent()).not.toThrow();
  await before.watch();
  expect(before.isOverdue).toBe(false);
  expect(events.filter((event) => event === 'timestamp_overdue')).toHaveLength(1);
  expect(events).toContain('timestamp_in_time');
});

it('is not overdue while there are no newer records, however old the token is', async () => {
  const { state, open, round } = logOf({ max_age_ms: 2 * HOUR_MS });
  const timestamping = open();
  await round(timestamping, 1);
  state.now = 1000 * HOUR_MS;
  await timestamping.watch();
  expect(timestamping.isOverdue).toBe(false);
  state.records = 2;
  await timestamping.watch();
  expect(timestamping.isOverdue).toBe(false);
  state.now += 2 * HOUR_MS + 1;
  expect(timestamping.isOverdue).toBe(true);
});

it('keeps no token of a former origin', async () => {
  const { open, round } = logOf();
  await round(open(), 1);
  expect(await open('example.org/other').newest()).toBeNull();
});

it('counts from the present time if the clock was set back', async () => {
  const { state, open, round } = logOf({ max_age_ms: 2 * HOUR_MS });
  const timestamping = open();
  state.now = 1000 * HOUR_MS;
  state.failure = 'ECONNREFUSED';
  await round(timestamping, 1);
  state.now = 0;
  await timestamping.watch();
  state.now = 2 * HOUR_MS + 1;
  await timestamping.watch();
  expect(timestamping.isOverdue).toBe(true);
});

it('keeps the wait and the token of the former origin when the origin changes', async () => {
  const { state, open, round } = logOf({ max_age_ms: 2 * HOUR_MS });
  const former = open();
  await round(former, 1);
  state.failure = 'ECONNREFUSED';
  await round(former, 2);
  state.now = 2 * HOUR_MS;
  const other = open('example.org/other');
  await other.watch();
  expect(await other.newest()).toBeNull();
  expect(await former.newest()).toMatchObject({ size: 1 });
  state.now += 1;
  await other.watch();
  expect(other.isOverdue).toBe(true);
});

it('is overdue if the store could not be looked at for as long', async () => {
  const { state, open, round } = logOf({ max_age_ms: 2 * HOUR_MS });
  const timestamping = open();
  await round(timestamping, 1);
  await timestamping.watch();
  state.now = 2 * HOUR_MS + 1;
  expect(timestamping.isOverdue).toBe(true);
  await timestamping.watch();
  expect(timestamping.isOverdue).toBe(false);
});
