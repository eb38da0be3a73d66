import type { PausedChange } from '@svc/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunStream } from './run-stream.ts';
import { RunStreams } from './run-streams.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A stream that records what it gets, and closes when it is ended or left. */
function streamOf() {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const got: string[] = [];
  const stream: Pick<RunStream, 'closed' | 'begin' | 'send' | 'end'> = {
    closed,
    begin: () => void got.push('begin'),
    send: async (changes) => void got.push(...changes.map(({ change }) => change)),
    end: () => {
      got.push('end');
      resolve();
    },
  };
  return { stream: stream as RunStream, got, leave: resolve };
}

/** Streams over a store whose changes the test gives; a reading takes as long as it says. */
function scene(took_ms = 0) {
  const changes: string[] = [];
  const lines: object[] = [];
  let readings = 0;
  let watches = 0;
  let isAway = false;
  const watch = () => {
    watches += 1;
    return {
      next: async () => {
        readings += 1;
        if (isAway) throw new RangeError('secret');
        if (took_ms > 0) await new Promise((resolve) => setTimeout(resolve, took_ms));
        return changes.splice(0).map((change) => ({ change }) as unknown as PausedChange);
      },
    };
  };
  const streams = new RunStreams({ watch, logger: { warn: (fields: object) => void lines.push(fields) } as never });
  return {
    streams,
    changes,
    lines,
    counts: () => ({ readings, watches }),
    fail: () => {
      isAway = true;
    },
  };
}

it('sends to all open streams what one reading finds, and nothing from before', async () => {
  const { streams, changes, counts } = scene();
  const [one, two] = [streamOf(), streamOf()];
  changes.push('earlier');
  void streams.serve(one.stream);
  await vi.advanceTimersByTimeAsync(0);
  void streams.serve(two.stream);
  await vi.advanceTimersByTimeAsync(0);
  changes.push('waiting');
  const before = counts().readings;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([one.got, two.got]).toEqual([
    ['begin', 'waiting'],
    ['begin', 'waiting'],
  ]);
  expect(counts()).toEqual({ readings: before + 1, watches: 1 });
});

it('reads nothing when the last stream has closed, and begins anew with the next', async () => {
  const { streams, changes, counts } = scene();
  const one = streamOf();
  const served = streams.serve(one.stream);
  await vi.advanceTimersByTimeAsync(0);
  one.leave();
  await served;
  const { readings } = counts();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(counts().readings).toBe(readings);
  const two = streamOf();
  void streams.serve(two.stream);
  await vi.advanceTimersByTimeAsync(0);
  changes.push('decided');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([one.got, two.got, counts().watches]).toEqual([['begin'], ['begin', 'decided'], 2]);
});

it.each([
  [10, 1_000],
  [100, 2_000],
  [5_000, 10_000],
])('waits longer after a long reading: %i ms, %i ms', async (took_ms, wait_ms) => {
  const { streams, counts } = scene(took_ms);
  void streams.serve(streamOf().stream);
  await vi.advanceTimersByTimeAsync(took_ms);
  expect(counts().readings).toBe(1);
  await vi.advanceTimersByTimeAsync(wait_ms - 1);
  expect(counts().readings).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(counts().readings).toBe(2);
});

it('ends all streams if the store cannot be read, logs it, and refuses a stream that begins then', async () => {
  const { streams, lines, fail } = scene();
  const one = streamOf();
  const served = streams.serve(one.stream);
  await vi.advanceTimersByTimeAsync(0);
  fail();
  await vi.advanceTimersByTimeAsync(1_000);
  await served;
  expect(one.got).toEqual(['begin', 'end']);
  expect(lines).toEqual([{ event: 'run_events_failed', reason: 'RangeError' }]);
  const late = streamOf();
  await expect(streams.serve(late.stream)).rejects.toMatchObject({ code: 'SVC-STORE-001' });
  expect(late.got).toEqual([]);
});

it('refuses a stream over the bound, and any after its end', async () => {
  const { streams } = scene();
  const open = Array.from({ length: 256 }, () => streamOf());
  for (const { stream } of open) void streams.serve(stream);
  await vi.advanceTimersByTimeAsync(0);
  await expect(streams.serve(streamOf().stream)).rejects.toMatchObject({ code: 'SVC-LIMIT-003' });
  open[0]?.leave();
  await vi.advanceTimersByTimeAsync(0);
  void streams.serve(streamOf().stream);
  await vi.advanceTimersByTimeAsync(0);
  streams.end();
  expect(open.slice(1).every(({ got }) => got.at(-1) === 'end')).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  await expect(streams.serve(streamOf().stream)).rejects.toMatchObject({ code: 'SVC-BUSY-002' });
});
