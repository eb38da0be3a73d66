import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { withFile } from './pack-source.ts';
import { endOfRun } from './read-part.ts';
import { RecordPart } from './record-part.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-part-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

const [FROM, TO] = [3, 6];
const timeOf = (hour: number): string => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();

/** @param hours of the records, in the order of the ledger; null: an inventory record */
async function part(hours: readonly (number | null)[], pageSize = 2): Promise<{ seqs: number[]; first: number; last: number }> {
  files += 1;
  const path = join(folder, String(files));
  const written = await withFile(path, async (file) => {
    const of = new RecordPart(file, { from: timeOf(FROM), to: timeOf(TO), timeOf: endOfRun, cutsBefore: true });
    for (const [at, hour] of hours.entries()) {
      const record = hour === null ? { seq: at + 1 } : { seq: at + 1, record_type: 'run_evidence', completed_at: timeOf(hour) };
      of.add(Buffer.from(JSON.stringify(record)), at + 1);
      if (at % pageSize === 0) await of.flush();
    }
    await of.end();
    return of;
  });
  const seqs = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).seq);
  return { seqs, first: written.first, last: written.last };
}

it.each<[string, (number | null)[], number[]]>([
  ['runs before, in and after it', [1, 2, 3, 5, 6, 7], [2, 3, 4, 5]],
  ['an empty period', [1, 2, 7, 8], [2, 3]],
  ['no run before it', [null, null, 4, 7], [1, 2, 3, 4]],
  ['no run after it', [1, 4, 5, null], [1, 2, 3, 4]],
  ['inventory records at its ends', [1, null, 4, null, 7, null], [1, 2, 3, 4, 5]],
  ['a run of the period behind one from before', [1, 3, 2, 4, 7], [1, 2, 3, 4, 5]],
  ['a run of the period behind one from after it', [1, 4, 6, 5, 7, 8], [1, 2, 3, 4, 5]],
  ['only inventory', [null, null], [1, 2]],
  ['nothing', [], []],
])('a part with %s', async (_, hours, seqs) => {
  expect(await part(hours)).toEqual({ seqs, first: seqs[0] ?? 0, last: seqs.at(-1) ?? 0 });
});

it('has each run of the period, without a gap, whatever the order of the times', async () => {
  const hours = fc.array(fc.option(fc.integer({ min: 0, max: 9 })), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(hours, fc.integer({ min: 1, max: 5 }), async (of, pageSize) => {
      const { seqs, first, last } = await part(of, pageSize);
      const wanted = of.flatMap((hour, at) => (hour !== null && hour >= FROM && hour < TO ? [at + 1] : []));
      expect(seqs).toEqual(expect.arrayContaining(wanted));
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => first + at));
      expect(seqs.at(-1) ?? 0).toBe(last);
    }),
  );
});
