import { median, percentile } from '../bench/statistics.ts';
import { type Law, law, round } from './law.ts';
import type { Sample } from './load.ts';
import type { Held } from './samples.ts';
import { STEADY } from './schedule.ts';

/** The last third of the steady part may be this many times its first third, and this much more. */
const GROWTH = { anonymous_mb: [1.25, 30], descriptors: [1.1, 5], readers: [1.1, 4], files: [1.1, 5] } as const;
const SLOWER = { ratio: 2, more_ms: 20 };
/** In a shorter load, processes are still warming up. */
const LEAST_S = 600;

/** Compares the first and last third of the part in which no process ended. None for a short load. */
export function lawsOfGrowth(held: readonly Held[], samples: readonly Sample[], seconds: number): Law[] {
  if (seconds < LEAST_S) return [];
  const [first, last] = [thirdOf(held, seconds, 0), thirdOf(held, seconds, 2)];
  const laws = Object.entries(GROWTH).map(([name, [ratio, more]]) => {
    const [before, after] = [first, last].map((third) => median(third.map((one) => one[name as keyof Held]))) as [number, number];
    const isSo = after <= before * ratio + more;
    return law(`${name} does not grow beyond ×${ratio} + ${more}`, isSo, `${round(before)} → ${round(after)}`);
  });
  const chats = samples.filter(({ kind, result }) => kind === 'chat' && result === 'answered');
  const [early, late] = [0, 2].map((n) => timesOf(thirdOf(chats, seconds, n))) as [Times, Times];
  const isSo = late.p50 <= early.p50 * SLOWER.ratio + SLOWER.more_ms;
  const figures = `p50 ${round(early.p50)} → ${round(late.p50)} ms, p99 ${round(early.p99)} → ${round(late.p99)} ms`;
  return [...laws, law(`p50 of chats does not grow beyond ×${SLOWER.ratio} + ${SLOWER.more_ms} ms`, isSo, figures)];
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

function timesOf(samples: readonly Sample[]): Times {
  const ascending = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return { p50: percentile(ascending, 0.5), p99: percentile(ascending, 0.99) };
}

function thirdOf<T extends { readonly at: number }>(all: readonly T[], seconds: number, third: number): T[] {
  const part = (seconds * (STEADY.to - STEADY.from)) / 3;
  const from = seconds * STEADY.from + part * third;
  return all.filter(({ at }) => at >= from && at < from + part);
}
