import { SecretFailedError } from '@svc/contracts';
import { fakeLogger } from '@svc/sdk/testing';
import { HttpDouble } from '@svc/toolkit/testing';
import { expect, it, test, vi } from 'vitest';
import { type ClientStore, clientBackend } from './client-backend.ts';
import { ClientNetwork, isOwnMachine } from './client-network.ts';
import type { ClientOptions } from './options.ts';

const NEVER = new AbortController().signal;
const options = (given: object = {}): ClientOptions => ({ refresh_s: 300, timeout_ms: 5_000, ...given });
const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'no failure',
    (error: unknown) => (error instanceof SecretFailedError ? error.failure : error),
  );

function backendOf(read: Awaited<ReturnType<ClientStore['open']>>, given: object = {}) {
  const logger = fakeLogger();
  let opened = 0;
  const open = async () => {
    opened += 1;
    return read;
  };
  const refused: ClientStore['failureOf'] = (error) => (error instanceof RangeError ? 'login_failed' : null);
  const store = { names: /^[a-z]+$/, open, failureOf: refused };
  const backend = clientBackend(store, options(given), { directory: '.', logger });
  return { ask: (name = 'name') => backend.resolve(name, 'value', NEVER), opened: () => opened };
}

it('opens its client when it is first asked, and once for all reads at a time', async () => {
  const { ask, opened } = backendOf(async () => 'x');
  expect(opened()).toBe(0);
  await Promise.all([ask(), ask(), ask()]);
  expect(opened()).toBe(1);
});

it('does not ask for a name that the store cannot have', async () => {
  const { ask, opened } = backendOf(async () => 'x');
  expect(await failureOf(ask('../name'))).toBe('not_found');
  expect(opened()).toBe(0);
});

it('ends a read in time, even if the client ignores its signal', async () => {
  const { ask } = backendOf(() => new Promise(() => undefined), { timeout_ms: 100 });
  expect(await failureOf(ask())).toBe('unavailable');
});

it('opens another client if a login is refused that worked before, and asks once more', async () => {
  let isRefused = false;
  const { ask, opened } = backendOf(async () => {
    if (isRefused) throw new RangeError('the message has a value');
    return 'x';
  });
  await ask();
  isRefused = true;
  expect(await failureOf(ask())).toBe('login_failed');
  expect(opened()).toBe(2);
  // The credentials never worked: the next read begins anew, without a second try.
  expect(await failureOf(ask())).toBe('login_failed');
  expect(opened()).toBe(3);
  isRefused = false;
  expect(await ask()).toMatchObject({ value: 'x' });
});

it('does not open another client after it was closed', async () => {
  const second = Promise.withResolvers<string>();
  let opened = 0;
  const reads = [async () => 'x', () => second.promise];
  const open = async () => {
    opened += 1;
    return () => reads.shift()?.() ?? Promise.resolve('x');
  };
  const store: ClientStore = { names: /./, open, failureOf: () => 'login_failed' };
  const backend = clientBackend(store, options(), { directory: '.', logger: fakeLogger() });
  await backend.resolve('name', 'value', NEVER);
  const late = failureOf(backend.resolve('name', 'value', NEVER));
  await vi.waitUntil(() => reads.length === 0);
  await backend.close?.();
  second.reject(new Error('refused'));
  expect(await late).toBe('login_failed');
  expect(opened).toBe(1);
});

it('reports a client that cannot be opened once, without its message, and tries again', async () => {
  const logger = fakeLogger();
  const open = async () => {
    throw new TypeError('the message has a value');
  };
  const backend = clientBackend({ names: /./, open, failureOf: () => null }, options(), { directory: '.', logger });
  for (let n = 0; n < 2; n += 1) expect(await failureOf(backend.resolve('name', 'value', NEVER))).toBe('unavailable');
  expect(logger.lines.map(({ fields }) => fields)).toEqual([{ event: 'secrets_client_unusable', reason: 'TypeError' }]);
});

it('reaches the services of its own machine without the proxy', async () => {
  class Metadata extends HttpDouble {
    protected async serve(_request: unknown, response: { end(text: string): unknown }): Promise<void> {
      response.end('token');
    }
  }
  const metadata = await new Metadata().listen();
  const network = new ClientNetwork(options({ proxy: 'http://127.0.0.1:1' }), { directory: '.', logger: fakeLogger() });
  try {
    expect(await (await network.fetch(metadata.origin)).text()).toBe('token');
    await expect(network.fetch('https://store.example')).rejects.toThrow('fetch failed');
    await expect(network.fetch('http://store.example')).rejects.toThrow('http is allowed only for this machine');
    await network.close();
    await expect(network.fetch(metadata.origin)).rejects.toThrow();
  } finally {
    await metadata.close();
  }
});

test.each([
  ['http://169.254.170.2/', true],
  ['http://[fd00:ec2::23]/', true],
  ['http://[fe80::a9fe:a9fe]/', true],
  ['http://metadata.google.internal./', true],
  ['http://[fd00:ec3::23]/', false],
  ['http://127.0.0.1.example/', false],
  ['http://metadata.google.internal.example/', false],
])('%s is of this machine: %s', (url, isOwn) => {
  expect(isOwnMachine(new URL(url).hostname)).toBe(isOwn);
});
