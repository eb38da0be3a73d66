import type { JsonObject, Logger } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorrectedClock } from './corrected-clock.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const YEAR = 365 * 24 * 3_600_000;

/** @param upStep resolution of the machine's uptime, in milliseconds */
function machine(upStep = 1) {
  const at = { day: START, monotonic: 1000, up: 50_000 };
  const moves: JsonObject[] = [];
  const warn = (fields: JsonObject): void => void moves.push(fields);
  const logger: Logger = { debug: warn, info: warn, warn, error: warn };
  const clock = new CorrectedClock(logger, {
    day: () => at.day,
    monotonic: () => at.monotonic,
    up: () => Math.floor(at.up / upStep) * upStep,
  });
  return {
    clock,
    /** The reported moves of the machine's clock, and whether this clock followed them. */
    moves: () => moves.map(({ by_ms, followed }) => [by_ms, followed]),
    pass(ms: number) {
      at.day += ms;
      at.monotonic += ms;
      at.up += ms;
    },
    sleep(ms: number) {
      at.day += ms;
      at.up += ms;
    },
    set(ms: number) {
      at.day += ms;
    },
  };
}

describe('CorrectedClock', () => {
  it('follows the clock of the machine and small corrections', () => {
    const { clock, pass, set, moves } = machine();
    pass(1500);
    expect(clock.now()).toBe(START + 1500);
    set(-4000);
    pass(2000);
    expect(clock.now()).toBe(START - 500);
    expect(moves()).toEqual([]);
  });

  it.each([YEAR, -YEAR])('continues when the clock is set by %i ms, and is right when it is set back', (by) => {
    const { clock, pass, set, moves } = machine();
    set(by);
    pass(60_000);
    expect(clock.now()).toBe(START + 60_000);
    set(-by);
    pass(60_000);
    expect(clock.now()).toBe(START + 120_000);
    expect(moves()).toEqual([[by, false]]);
  });

  it('does not step back when the clock is right again, on a machine that reports its uptime in steps of 10 ms', () => {
    const { clock, pass, set } = machine(10);
    const times: number[] = [];
    const read = (ms: number): void => {
      pass(ms);
      times.push(clock.now());
    };
    read(1009);
    set(YEAR);
    read(1001);
    set(-YEAR);
    for (let ms = 0; ms < 1100; ms += 1) read(1);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('accepts a clock that stays where it was set', () => {
    const { clock, pass, set, moves } = machine();
    set(YEAR);
    for (let minute = 0; minute < 11; minute += 1) {
      pass(60_000);
      clock.now();
    }
    pass(60_000);
    expect(clock.now()).toBe(START + YEAR + 12 * 60_000);
    expect(moves()).toEqual([
      [YEAR, false],
      [YEAR, true],
    ]);
  });

  it('distinguishes sleep from a jump', () => {
    const { clock, pass, sleep, moves } = machine();
    sleep(YEAR);
    pass(1000);
    expect(clock.now()).toBe(START + YEAR + 1000);
    expect(moves()).toEqual([]);
  });

  it('never steps back while the machine only runs and sleeps, and is wrong by one interval at most', () => {
    const step = fc.record({ kind: fc.constantFrom('pass', 'sleep'), ms: fc.integer({ min: 0, max: 100_000 }) } as const);
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const made = machine();
        let before = made.clock.now();
        for (const { kind, ms } of steps) {
          made[kind](ms);
          const now = made.clock.now();
          expect(now).toBeGreaterThanOrEqual(before);
          before = now;
        }
        made.pass(1000);
        expect(made.clock.now()).toBe(START + steps.reduce((sum, { ms }) => sum + ms, 1000));
      }),
    );
  });
});
