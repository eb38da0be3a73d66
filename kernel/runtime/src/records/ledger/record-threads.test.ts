import { readRecord } from '@svc/ledger';
import { afterEach, describe, expect, it } from 'vitest';
import { vectorLedger } from '../../../../ledger/src/test-vectors.ts';
import { RecordThreads } from './record-threads.ts';

const urlOf = (name: string): string => new URL(`./fixtures/${name}.ts`, import.meta.url).href;
const records = vectorLedger().map((text) => Buffer.from(text));

let open: RecordThreads[] = [];
afterEach(async () => {
  await Promise.all(open.map((threads) => threads.close()));
  open = [];
});

function threads(count: number, fixture?: string): RecordThreads {
  const made = fixture === undefined ? new RecordThreads(count) : new RecordThreads(count, urlOf(fixture));
  open.push(made);
  return made;
}

describe('threads', () => {
  it('read records like the event loop does, up to the first invalid one', async () => {
    const two = threads(2);
    const wrong = records.with(5, Buffer.from('{}'));
    const batches = [records, wrong, [], records.slice(3), [Buffer.alloc(0)], records.slice(0, 1)];
    const read = await Promise.all(batches.map((batch) => two.read(batch)));
    const whole = records.map((record) => readRecord(record));
    expect(read).toEqual([whole, whole.slice(0, 5), [], whole.slice(3), [], whole.slice(0, 1)]);
  });

  it('leave the records with their owner', async () => {
    const [first = Buffer.alloc(0)] = records;
    const text = first.toString();
    await threads(1).read([first]);
    expect(first.toString()).toBe(text);
  });

  it('that are closed stop their reading', async () => {
    const one = threads(1);
    const failure = one.read(records).catch((error: unknown) => error);
    await one.close();
    expect(await failure).toBeInstanceOf(Error);
  });
});

describe('a thread that', () => {
  it.each([
    ['throws', 't'],
    ['ends', 'e'],
  ])('%s fails its waiting readers without its message, while others are served', async (_, misdeed) => {
    const two = threads(2, 'dies');
    const [good, bad] = [two.read([Buffer.from('.')]), two.read([Buffer.from(misdeed)])];
    const failure = await bad.catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'a thread that reads records failed' });
    expect(await good).toEqual([]);
  });

  it('cannot load its module fails its waiting readers', async () => {
    const two = threads(2, 'does-not-load');
    const reads = Array.from({ length: 5 }, () => two.read(records));
    expect((await Promise.allSettled(reads)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    await expect(two.read(records)).rejects.toThrow();
  });
});
