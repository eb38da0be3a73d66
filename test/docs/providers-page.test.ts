import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VENDORS } from '../harness/exchanges.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/providers.md'), 'utf8');
const SAID = { recorded: 'recorded', documented: 'documented shape' } as const;

/** The first and the last cell of each row of the vendors. */
const rows = PAGE.split('\n')
  .slice(PAGE.split('\n').findIndex((line) => line.startsWith('| Vendor |')) + 2)
  .join('\n')
  .split('\n\n')[0]
  ?.split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map((cells) => [cells[1], cells.at(-2)]);

it('states for each vendor what was replayed, and the date', () => {
  const vendors = new Map<string, Map<string, string[]>>();
  for (const { vendor, kind, date, exchanges } of VENDORS.values()) {
    const dates = vendors.get(vendor) ?? new Map<string, string[]>();
    const day = `${SAID[kind]} of ${date}`;
    const all = [...(dates.get(day) ?? []), ...exchanges.map(({ what }) => what)];
    vendors.set(vendor, dates.set(day, [...new Set(all)]));
  }
  const replayed = [...vendors].map(([vendor, dates]) => [
    vendor,
    [...dates].map(([day, all]) => `${day}: ${all.join(', ')}`).join('; '),
  ]);
  const byName = (one: readonly unknown[], other: readonly unknown[]): number => String(one[0]).localeCompare(String(other[0]));
  expect([...(rows ?? [])].sort(byName)).toEqual(replayed.sort(byName));
});
