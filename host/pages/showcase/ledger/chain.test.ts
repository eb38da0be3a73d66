import { canonicalJson } from '@svc/ledger';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Break, checkChain, isBreak, START } from './chain.ts';
import { changeByte, coverHash, coverLinks } from './forge.ts';
import { canonical, hashOf, readRecord } from './record.ts';
import { splitRecords } from './split.ts';

async function chainOf(contents: readonly object[]): Promise<string[]> {
  const records: string[] = [];
  let prev_hash = 'genesis';
  for (const [index, more] of contents.entries()) {
    const content = { ...more, record_type: 'run_evidence', principal_id: 'alice', seq: index + 1, prev_hash };
    const hash = await hashOf(canonical(content));
    records.push(canonical({ ...content, hash }));
    prev_hash = hash;
  }
  return records;
}
const page = (records: readonly string[]) => new TextEncoder().encode(`{"records":[${records.join(',')}]}`);
const breakOf = async (records: readonly string[]): Promise<Pick<Break, 'index'> & { kind: string }> => {
  const result = await checkChain(records, START);
  if (!isBreak(result)) throw new Error('it holds');
  return { index: result.index, kind: result.what.kind };
};
const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });

it('writes canonical JSON as the gateway does', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonical(value)).toBe(canonicalJson(value));
    }),
  );
});

it('takes records out of a page as they stand there, whatever is in them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json, { maxLength: 5 }), async (values) => {
      const records = await chainOf(values.map((value) => ({ value })));
      expect(splitRecords(page(records))).toEqual(records);
    }),
  );
});

it.each(['{"records":[', '{"records":[{"a":"]}', '{"runs":[]}', ''])('%j is no page', (text) => {
  expect(() => splitRecords(new TextEncoder().encode(text))).toThrow();
});

it('does not read what is no UTF-8 as something else', () => {
  const bytes = page(['{"a":"x"}']);
  bytes[bytes.indexOf(0x78)] = 0xff;
  expect(() => splitRecords(bytes)).toThrow();
});

it('finds a changed byte wherever it is', async () => {
  const records = await chainOf([{ note: 'a' }, { note: 'ü' }, { note: 'c' }]);
  expect(await checkChain(records, START)).toMatchObject({ end: { seq: 3, hash: readRecord(records[2] ?? '')?.hash } });
  const text = records[1] ?? '';
  for (let at = 0; at < text.length; at++) {
    const changed = text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
    expect((await breakOf(records.with(1, changed))).index, `at ${at}`).toBe(1);
  }
});

it.each([
  ['a gap', ([a = '', , c = '']: string[]) => [a, c], 1, 'seq'],
  ['a missing beginning', ([, b = '', c = '']: string[]) => [b, c], 0, 'seq'],
  ['white space', ([a = '', b = '', c = '']: string[]) => [a, b.replace(':', ': '), c], 1, 'form'],
  ['a member twice', ([a = '', b = '', c = '']: string[]) => [a, b.replace('{', '{"seq":7,'), c], 1, 'form'],
])('%s breaks it', async (_name, edit, index, kind) => {
  expect(await breakOf(edit(await chainOf([{}, {}, {}])))).toEqual({ index, kind });
});

it('a forger moves the break on and ends with another head', async () => {
  const records = await chainOf([{}, {}, {}, {}]);
  const { raw, at, before, after } = changeByte(records[1] ?? '');
  expect([records[1]?.[at], raw[at]]).toEqual([before, after]);
  const changed = records.with(1, raw);
  expect(await breakOf(changed)).toEqual({ index: 1, kind: 'hash' });
  const covered = await coverHash(changed, 1);
  expect(await breakOf(covered)).toEqual({ index: 2, kind: 'link' });
  const [forged, whole] = [await checkChain(await coverLinks(covered, 1), START), await checkChain(records, START)];
  if (isBreak(forged) || isBreak(whole)) throw new Error('they hold');
  expect(forged.end.hash).not.toBe(whole.end.hash);
});
