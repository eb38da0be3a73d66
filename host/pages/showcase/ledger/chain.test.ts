import { placeRecord, prepareRecord, TreeHash } from '@svc/ledger/chain';
import { expect, it } from 'vitest';
import type { Api } from '../../shared/api.ts';
import { breakOf } from './chain.ts';
import { changeByte, coverHash, coverLinks } from './forge.ts';
import { shownRecord } from './record.ts';
import { verifyLedger } from './verify.ts';

const START = { seq: 0, hash: 'genesis' };

function chainOf(contents: readonly object[]): string[] {
  const records: string[] = [];
  let prev_hash = START.hash;
  for (const [index, more] of contents.entries()) {
    const body = prepareRecord({ ...more, record_type: 'run_evidence', principal_id: 'alice', run_id: `${index}` });
    const { bytes, hash } = placeRecord(body, index + 1, prev_hash);
    records.push(bytes);
    prev_hash = hash;
  }
  return records;
}
const breakAt = (records: readonly string[]) => {
  const found = breakOf(records, START);
  return found && { index: found.index, why: found.why };
};

it('finds a changed byte wherever it is', () => {
  const records = chainOf([{ note: 'a' }, { note: 'ü' }, { note: 'c' }]);
  expect(breakAt(records)).toBeNull();
  const text = records[1] ?? '';
  for (let at = 0; at < text.length; at++) {
    const changed = text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
    expect(breakAt(records.with(1, changed))?.index, `at ${at}`).toBe(1);
  }
});

it.each([
  ['a gap', ([a = '', , c = '']: string[]) => [a, c], 1, 'wrong_seq'],
  ['a missing beginning', ([, b = '', c = '']: string[]) => [b, c], 0, 'wrong_seq'],
  ['white space', ([a = '', b = '', c = '']: string[]) => [a, b.replace(':', ': '), c], 1, 'not_canonical'],
  ['a member twice', ([a = '', b = '', c = '']: string[]) => [a, b.replace('{', '{"seq":7,'), c], 1, 'not_canonical'],
])('%s breaks it', (_name, edit, index, why) => {
  expect(breakAt(edit(chainOf([{}, {}, {}])))).toEqual({ index, why });
});

it('a forger only moves the break, and ends with a different head', () => {
  const records = chainOf([{}, {}, {}, {}]);
  const { raw, at, before, after } = changeByte(records[1] ?? '');
  expect([records[1]?.[at], raw[at]]).toEqual([before, after]);
  const changed = records.with(1, raw);
  expect(breakAt(changed)).toEqual({ index: 1, why: 'wrong_hash' });
  const covered = coverHash(changed, 1);
  expect(breakAt(covered)).toEqual({ index: 2, why: 'wrong_prev_hash' });
  const linked = coverLinks(covered, 1);
  expect(breakAt(linked)).toBeNull();
  expect(shownRecord(linked[3] ?? '').hash).not.toBe(shownRecord(records[3] ?? '').hash);
});

/** A gateway that serves these records, and signs the tree over others. */
function serving(records: readonly string[], signed: readonly string[] | null): Api {
  const ledger = (after: number, limit: number) =>
    Promise.resolve(new TextEncoder().encode(`{"records":[${records.slice(after, after + limit).join(',')}]}`));
  const checkpoint = async () => {
    if (signed === null) throw new Error('altered');
    const tree = new TreeHash();
    for (const raw of signed) tree.append(shownRecord(raw).hash);
    return `test\n${tree.size}\n${btoa(String.fromCharCode(...tree.root()))}\n\n— test abcd\n`;
  };
  return { ledger, checkpoint } as Pick<Api, 'ledger' | 'checkpoint'> as Api;
}

it('verifies served records against the signed checkpoint', async () => {
  const records = chainOf(Array.from({ length: 1001 }, (_, n) => ({ n })));
  const verify = (served: readonly string[], signed: readonly string[] | null) => {
    const checked: number[] = [];
    return verifyLedger(serving(served, signed), (count) => checked.push(count)).then((result) => ({ result, checked }));
  };
  expect(await verify(records, records.slice(0, 900))).toMatchObject({
    result: { fits: true, head: { size: 900 } },
    checked: [1000, 1001],
  });
  const rewritten = coverLinks(coverHash(records.with(500, changeByte(records[500] ?? '').raw), 500), 500);
  expect(await verify(rewritten, records)).toMatchObject({ result: { fits: false } });
  const altered = records.with(500, changeByte(records[500] ?? '').raw);
  expect(await verify(altered, null)).toMatchObject({ result: { seq: 501, why: 'wrong_hash' }, checked: [500] });
  await expect(verify(records.slice(0, 900), records)).rejects.toThrow('more records');
  await expect(verify(records, null)).rejects.toThrow('altered');
});
