import { expect, it } from 'vitest';
import { lawsOfAnswers } from './answer-laws.ts';
import { Faults } from './faults.ts';
import { lawsOfGrowth } from './growth-laws.ts';
import type { Load, Sample } from './load.ts';
import { Kept } from './requests.ts';
import type { Held } from './samples.ts';
import { STEADY, scheduleOf } from './schedule.ts';

const SECONDS = 3_600;
const HELD: Omit<Held, 'at'> = { anonymous_mb: 300, rss_mb: 500, descriptors: 100, readers: 3, files: 10 };

const times = Array.from({ length: 90 }, (_, n) => SECONDS * (STEADY.from + ((STEADY.to - STEADY.from) * n) / 90));
const broken = (laws: readonly { law: string; holds: boolean }[]) => laws.flatMap(({ law, holds }) => (holds ? [] : [law]));
const chat = (at: number, ms: number, more: Partial<Sample> = {}): Sample => {
  return { kind: 'chat', at, ms, result: 'answered', fault: null, ...more };
};

it.each(['anonymous_mb', 'descriptors', 'readers', 'files'] as const)('a steady growth of %s breaks a law', (name) => {
  const held = times.map((at, n): Held => ({ ...HELD, at, [name]: HELD[name] * (1 + n / 20) }));
  const chats = times.map((at) => chat(at, 20));
  expect(broken(lawsOfGrowth(held, chats, SECONDS))).toEqual([expect.stringContaining(name)]);
  const steady = times.map((at, n): Held => ({ ...HELD, at, [name]: HELD[name] * (1 + (n % 2) / 20) }));
  expect(broken(lawsOfGrowth(steady, chats, SECONDS))).toEqual([]);
});

it('answers that take longer and longer break a law', () => {
  const held = times.map((at): Held => ({ ...HELD, at }));
  const chats = times.map((at, n) => chat(at, 20 + 4 * n));
  expect(broken(lawsOfGrowth(held, chats, SECONDS))).toEqual([expect.stringContaining('p50')]);
});

it('an error breaks a law unless it has a code and a fault explains it', () => {
  const faults = new Faults({} as never);
  faults.windows.push({ from: 100_000, to: 120_000 });
  const load = (...samples: Sample[]) => ({ samples, kept: new Kept(), began: 0 }) as unknown as Load;
  const laws = (...samples: Sample[]) => broken(lawsOfAnswers(load(...samples), faults)).length;
  expect(laws(chat(50, 20), chat(99, 2_000, { result: 'SVC-PROV-001' }), chat(119, 20, { result: 'broken' }))).toBe(0);
  expect(laws(chat(50, 20, { result: 'SVC-PROV-001' }))).toBe(1);
  expect(laws(chat(110, 20, { result: 'unnamed', fault: 'chat: unnamed' }))).toBe(1);
  expect(laws(chat(110, 30_000, { result: 'hung', fault: 'chat: hung' }))).toBe(2);
});

it('processes end only outside the steady part, and the end of a load is calm', () => {
  const ending = ['kill worker', 'kill gateway', 'disk full'];
  for (const seconds of [60, 600, SECONDS]) {
    const faults = scheduleOf(seconds, () => 0.5);
    for (const { name, at, lasts } of faults) {
      expect(at + lasts).toBeLessThan(seconds);
      if (ending.includes(name)) expect(at + lasts <= seconds * STEADY.from || at >= seconds * STEADY.to).toBe(true);
    }
    expect(new Set(faults.map(({ name }) => name)).size).toBeGreaterThan(6);
  }
});
