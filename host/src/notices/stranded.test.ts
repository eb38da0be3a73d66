import { beforeEach, expect, it } from 'vitest';
import { groupOf, occurrence } from './notice.ts';
import { EMPTY, withGroups, withNext } from './outbox.ts';
import { reportStranded } from './stranded.ts';
import { away, memoryStore } from './test-store.ts';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const DAY_MS = 86_400_000;

let given: ReturnType<typeof memoryStore>;
let lines: object[];
beforeEach(() => {
  given = memoryStore();
  lines = [];
});

/** Leases end before a next start, unless it is of a process that starts together with others. */
function start(configured: string[], now = NOW, isTogether = false): Promise<void> {
  if (!isTogether) given.holders.clear();
  const line = (fields: object): void => void lines.push(fields);
  const logger = { debug: line, info: line, warn: line, error: line };
  return reportStranded(configured, { store: given.store, logger, clock: { now: () => now, monotonic: () => now } });
}

/** Three occurrences, one of them in a message that was not accepted. */
const paused = (at: number) => [groupOf(occurrence('paused', { name: 'policy' }), at)];
const sending = withNext(withGroups(EMPTY, paused(NOW - 5_000)), { id: 'message', now: NOW, group_ms: 60_000 });
const UNSENT = JSON.stringify(withGroups(sending, [...paused(NOW), ...paused(NOW)]));

it('warns at each start about unsent notices of targets and recipients that were removed', async () => {
  await start(['hook', 'mail/one', 'mail/two']);
  for (const key of ['hook', 'mail/one', 'mail/two']) given.meta.set(`notices/${key}`, UNSENT);
  await start(['hook', 'mail/one', 'mail/two']);
  expect(lines).toEqual([]);
  const warnings = [
    { event: 'notices_stranded', target: 'hook', occurrences: 3 },
    { event: 'notices_stranded', target: 'mail', occurrences: 3 },
  ];
  await start(['mail/one', 'other']);
  expect(lines).toEqual(warnings);
  await start(['mail/one', 'other']);
  expect(lines).toEqual([...warnings, ...warnings]);
  await start(['hook', 'mail/one', 'mail/two']);
  expect(lines).toHaveLength(4);
});

it('is the warning of one of several processes that start together', async () => {
  await start(['hook']);
  given.meta.set('notices/hook', UNSENT);
  await start([]);
  await Promise.all([start([], NOW, true), start([], NOW + 1_000, true)]);
  expect(lines).toHaveLength(1);
});

it('says nothing about a removed target that has sent everything', async () => {
  await start(['hook', 'never']);
  given.meta.set('notices/hook', JSON.stringify(EMPTY));
  await start([]);
  expect(lines).toEqual([]);
  // A gateway with the previous configuration, which ends later, adds one.
  given.meta.set('notices/hook', UNSENT);
  await start([]);
  expect(lines).toHaveLength(1);
});

it('writes nothing for a gateway that never had notices', async () => {
  await start([]);
  expect([...given.meta]).toEqual([]);
});

it('warns about old notices once more', async () => {
  await start(['hook']);
  given.meta.set('notices/hook', UNSENT);
  await start([], NOW + DAY_MS);
  await start([], NOW + DAY_MS);
  expect(lines).toEqual([{ event: 'notices_stranded', target: 'hook', occurrences: 3 }]);
});

it('keeps what another process lists at the same time', async () => {
  const { writeMeta } = given.store;
  given.store.writeMeta = async (...args) => {
    given.store.writeMeta = writeMeta;
    given.meta.set('notices', '["hook"]');
    given.meta.set('notices/hook', UNSENT);
    return writeMeta(...args);
  };
  await start(['other']);
  expect(JSON.parse(given.meta.get('notices') ?? '')).toEqual(['hook', 'other']);
  expect(lines).toHaveLength(1);
});

it('does not keep a gateway from starting if the store fails', async () => {
  given.store.readMeta = away;
  await start(['hook']);
  expect(lines).toEqual([{ event: 'notices_failed', reason: 'Error' }]);
});
