import { describe, expect, it } from 'vitest';
import type { NoticeEvent } from '../config/index.ts';
import { countOf, groupOf, type NoticeGroup } from './notice.ts';
import { EMPTY, type Outbox, withGroups, withNext } from './outbox.ts';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const GROUP_MS = 60_000;

const happened = (event: NoticeEvent, now: number, more: Partial<NoticeGroup> = {}): NoticeGroup => ({
  ...groupOf({ event, route: 'chat', name: 'policy', code: 'wire', amount: null, run_id: `run-${now}` }, now),
  ...more,
});
const next = (outbox: Outbox, now: number): Outbox => withNext(outbox, { id: `message-${now}`, now, group_ms: GROUP_MS });
const sent = (outbox: Outbox): Outbox => ({ ...outbox, sending: null });

describe('an outbox', () => {
  it('makes 500 occurrences one message, with their number, the oldest and the first runs', () => {
    let outbox = EMPTY;
    for (let at = 0; at < 500; at += 1) outbox = withGroups(outbox, [happened('paused', NOW + at)]);
    const { sending, groups } = next(outbox, NOW + 2_000);
    expect(groups).toEqual([]);
    expect(sending).toMatchObject({ id: `message-${NOW + 2_000}`, at: NOW + 2_000 });
    expect(sending?.groups).toMatchObject([{ event: 'paused', count: 500, since: NOW }]);
    expect(sending?.groups[0]?.run_ids).toEqual([0, 1, 2, 3, 4].map((at) => `run-${NOW + at}`));
  });

  it('waits two seconds for more', () => {
    const outbox = withGroups(EMPTY, [happened('paused', NOW)]);
    expect(next(outbox, NOW + 1_999)).toBe(outbox);
    expect(next(outbox, NOW + 2_000).sending).not.toBeNull();
  });

  it('sends a first message at once, and what follows in its time as one', () => {
    let outbox = sent(next(withGroups(EMPTY, [happened('paused', NOW)]), NOW + 2_000));
    for (const at of [3_000, 10_000, 30_000]) outbox = withGroups(outbox, [happened('paused', NOW + at)]);
    expect(next(outbox, NOW + 61_999).sending).toBeNull();
    expect(next(outbox, NOW + 62_000).sending?.groups).toMatchObject([{ count: 3, since: NOW + 3_000 }]);
  });

  it('does not delay other events', () => {
    const first = sent(next(withGroups(EMPTY, [happened('paused', NOW)]), NOW + 2_000));
    const outbox = withGroups(first, [happened('paused', NOW + 3_000), happened('guard_failed', NOW + 3_000)]);
    const then = next(outbox, NOW + 5_000);
    expect(then.sending?.groups).toMatchObject([{ event: 'guard_failed' }]);
    expect(then.groups).toMatchObject([{ event: 'paused' }]);
  });

  it('makes all that is due one message', () => {
    const outbox = withGroups(EMPTY, [
      happened('paused', NOW),
      happened('guard_failed', NOW),
      happened('paused', NOW, { name: 'other' }),
    ]);
    expect(next(outbox, NOW + 2_000).sending?.groups).toHaveLength(3);
  });

  it('has one message at a time', () => {
    const sending = next(withGroups(EMPTY, [happened('paused', NOW)]), NOW + 2_000);
    const more = withGroups(sending, [happened('guard_failed', NOW + 2_000)]);
    expect(next(more, NOW + 99_000)).toBe(more);
  });

  it('is bounded: of many names the later ones are only counted', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => happened('guard_failed', NOW, { name: `guard-${at}` }));
    const { groups } = withGroups(withGroups(EMPTY, many), [happened('paused', NOW)]);
    expect(groups).toHaveLength(102);
    expect(countOf({ groups })).toBe(5_001);
    expect(groups.filter(({ name }) => name === null)).toMatchObject([
      { event: 'guard_failed', count: 4_900 },
      { event: 'paused', count: 1 },
    ]);
  });

  it('is not delayed by a clock that is set back', () => {
    const outbox = withGroups(sent(next(withGroups(EMPTY, [happened('paused', NOW)]), NOW + 2_000)), [
      happened('paused', NOW + 3_000),
    ]);
    expect(next(outbox, NOW - 3_600_000).sending).not.toBeNull();
  });
});
