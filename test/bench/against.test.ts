import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lossesOf, timesBare } from './against.ts';
import { PROTOCOLS } from './protocols.ts';
import type { Report } from './report.ts';

/** @param times of the bare pass-through's time: of a request, and of a stream */
function reportOf(bare_us: number, times: readonly [number, number]): Pick<Report, 'requests' | 'streams'> {
  const requests = [1, times[0]].map((factor, at) => ({
    target: at === 0 ? 'bare' : 'gateway',
    connections: 32,
    cpu_us_per_request: factor * bare_us,
  }));
  const streams = [1, times[1]].map((factor, at) => ({
    target: at === 0 ? 'bare' : 'gateway',
    protocol: 'chat',
    cpu_us_per_stream: factor * bare_us,
  }));
  return { requests, streams } as never;
}

describe('a benchmark compared with an earlier one', () => {
  it('reports a regression if the ratio to the bare time grew, however fast the machine is', () => {
    const rows = timesBare(reportOf(10, [5, 12]), reportOf(30, [5, 4]));
    expect(rows.map(({ what, before, now }) => [what, Math.round(before ?? Number.NaN), Math.round(now)])).toEqual([
      ['gateway, whole, 32 connections', 5, 5],
      ['gateway, chat streams', 4, 12],
    ]);
    expect(lossesOf(rows, 1.1).map(({ what }) => what)).toEqual(['gateway, chat streams']);
    expect(lossesOf(rows, 4)).toEqual([]);
  });

  it('compares what both runs measured, if the system reports processor time', () => {
    const before = reportOf(30, [5, 4]);
    expect(timesBare({ ...before, streams: null }, before)).toHaveLength(1);
    expect(timesBare(before, { ...before, streams: null }).map((row) => row.before)).toEqual([5, null]);
    expect(lossesOf(timesBare(before, { requests: null, streams: null }), 1)).toEqual([]);
    const untold = { requests: before.requests?.map((row) => ({ ...row, cpu_us_per_request: null })) ?? null, streams: null };
    expect(timesBare(untold, before)).toEqual([]);
  });

  it('is made in CI for streams of every protocol', () => {
    const figures = JSON.parse(readFileSync(join(import.meta.dirname, 'figures.json'), 'utf8'));
    const names = timesBare(figures, figures).map(({ what }) => what);
    const parts = ['whole, 32 connections', ...PROTOCOLS.map((protocol) => `${protocol} streams`)];
    expect(names).toEqual(parts.flatMap((part) => [`gateway, ${part}`, `guarded, ${part}`]));
  });
});
