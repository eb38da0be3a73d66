import { type Finding, ok, problem, warning } from './finding.ts';

/** A reading of another machine's clock, from the header `Date` of a response. */
export interface ClockReading {
  /** Name of the server, for people. */
  readonly server: string;
  /** How far this machine is ahead, in milliseconds. Negative: behind. */
  readonly ahead_ms: number;
}

/** `Date` has whole seconds, and a response takes time. Less than this is not an error of a clock. */
const TOLERANCE_MS = 5_000;
/** Default of `clock_skew` of issuers: tokens of a clock that is further off are refused. */
const PROBLEM_MS = 30_000;

/** The difference from a response. Null if its header `Date` is missing or invalid. @param asked_at, answered_at milliseconds since the epoch here */
export function readingOf(server: string, date: string | null, asked_at: number, answered_at: number): ClockReading | null {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there)) return null;
  // The second that the header names has passed by half on average.
  return { server, ahead_ms: Math.round((asked_at + answered_at) / 2 - there - 500) };
}

/** Compares with the median, because one of the other clocks may be wrong. */
export function checkClock(readings: readonly ClockReading[]): Finding {
  const sorted = readings.toSorted((a, b) => a.ahead_ms - b.ahead_ms);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  if (median === undefined) return ok('clock', 'not checked: no provider or issuer sent a date');
  const { ahead_ms, server } = median;
  const off = Math.abs(ahead_ms);
  const from = `${readings.length === 1 ? server : `${readings.length} servers, such as ${server}`}`;
  if (off <= TOLERANCE_MS) return ok('clock', `agrees with ${from}`);
  const said = `${(off / 1000).toFixed(0)} s ${ahead_ms > 0 ? 'ahead of' : 'behind'} ${from}`;
  const remedy = 'set the clock, and keep it set with NTP (chrony, systemd-timesyncd)';
  return off > PROBLEM_MS ? problem('clock', said, remedy) : warning('clock', said, remedy);
}
