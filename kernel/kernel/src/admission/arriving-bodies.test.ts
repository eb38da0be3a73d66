import { expect, it } from 'vitest';
import type { ArrivingBody } from './arriving-bodies.ts';
import { BytesInFlight } from './bytes-in-flight.ts';

const MAX = 4_096_000;

function scene() {
  let now = 0;
  const all = new BytesInFlight(MAX, () => now);
  const given_up: string[] = [];
  const body = (name: string): ArrivingBody => all.reserve().arriving(() => given_up.push(name));
  const pass = (ms: number): void => {
    now += ms;
  };
  return { all, given_up, body, pass };
}

it('an announced body reserves nothing, and received bytes are counted', () => {
  const { all, body } = scene();
  const [first] = [body('first'), body('second')];
  expect(all.hasRoom(MAX)).toBe(true);
  expect(first?.take(1_000)).toBe(true);
  expect(all.bytes).toBe(1_000);
  expect(all.hasRoom(MAX)).toBe(false);
  expect(all.hasRoom(MAX - 1_000)).toBe(true);
  expect(all.refused.request).toBe(1);
});

it('a stalled body is dropped for another one, the oldest first, and none is dropped while there is room', () => {
  const { all, body, given_up, pass } = scene();
  for (const name of ['first', 'second', 'third']) expect(body(name).take(1_024_000)).toBe(true);
  const victim = body('victim');
  pass(1_001);
  expect(all.hasRoom(MAX)).toBe(true);
  expect(victim.take(1_024_000)).toBe(true);
  expect(given_up).toEqual([]);
  expect(victim.take(1)).toBe(true);
  expect(given_up).toEqual(['first']);
  expect(victim.take(2_000_000)).toBe(true);
  expect(given_up).toEqual(['first', 'second']);
  expect(all.bytes).toBe(4_048_001);
});

it('a body that is whole or keeps its pace is not dropped, and none is dropped if that would not free enough room', () => {
  const { all, body, given_up, pass } = scene();
  const [steady, whole, stalled] = [body('steady'), body('whole'), body('stalled')];
  expect(whole.take(1_024_000)).toBe(true);
  whole.complete();
  expect(stalled.take(1_000)).toBe(true);
  for (let n = 0; n < 20; n++) {
    pass(100);
    expect(steady.take(102_400)).toBe(true);
  }
  expect(body('large').take(MAX)).toBe(false);
  expect(given_up).toEqual([]);
  expect(all.bytes).toBe(1_024_000 + 1_000 + 2_048_000);
});

it.each([1, 64, 10_000])('%d bytes every 100 ms are too slow, and earlier bytes do not compensate for it', (bytes) => {
  const { body, given_up, pass } = scene();
  const trickling = body('trickling');
  expect(trickling.take(3_000_000)).toBe(true);
  for (let n = 0; n < 15; n++) {
    pass(100);
    expect(trickling.take(bytes)).toBe(true);
  }
  pass(50);
  expect(body('victim').take(2_000_000)).toBe(true);
  expect(given_up).toEqual(['trickling']);
});

it('a stalled body is not dropped for its own next byte', () => {
  let now = 0;
  const all = new BytesInFlight(MAX, () => (now += 0.01));
  const given_up: string[] = [];
  const bytes = all.reserve();
  const trickling = bytes.arriving(() => given_up.push('trickling'));
  expect(trickling.take(MAX)).toBe(true);
  now += 2_000;
  expect(trickling.take(1)).toBe(false);
  expect(given_up).toEqual([]);
  expect(trickling.bytes).toBe(MAX);
  trickling.drop();
  bytes.release();
  expect(all.bytes).toBe(0);
});
