import { StoreError } from '@svc/sdk/plugin';
import { fakeLogger } from '@svc/sdk/testing';
import { expect, it } from 'vitest';
import { awaitServer } from './await-server.ts';

const failure = (code: string): StoreError => new StoreError('OPEN', 'no', { cause: Object.assign(new Error('no'), { code }) });

it.each(['ECONNREFUSED', '57P03', '57P01'])('waits where the server is not there for a while: %s', async (code) => {
  let tries = 0;
  const work = async (): Promise<string> => {
    tries += 1;
    if (tries < 3) throw failure(code);
    return 'open';
  };
  expect(await awaitServer(work, fakeLogger())).toBe('open');
  expect(tries).toBe(3);
});

it.each(['28P01', '3D000', 'ENOTFOUND', 'CERT_HAS_EXPIRED'])('does not wait for what will not pass: %s', async (code) => {
  let tries = 0;
  const work = async (): Promise<never> => {
    tries += 1;
    throw failure(code);
  };
  await expect(awaitServer(work, fakeLogger())).rejects.toMatchObject({ code: 'OPEN' });
  expect(tries).toBe(1);
});

it('gives up in the end, with the reason', async () => {
  const work = (): Promise<never> => Promise.reject(failure('ECONNREFUSED'));
  await expect(awaitServer(work, fakeLogger(), 100)).rejects.toMatchObject({ code: 'OPEN' });
});
