import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeClock, fakeLogger } from '@svc/sdk/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Issuer } from '../../host/src/oidc/issuer.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';

const MINUTE = 60_000;

let provider: IssuerProcess;
beforeAll(async () => {
  provider = await IssuerProcess.start({ groups: {} });
});
afterAll(() => provider.stop());

let clock = fakeClock(Date.now());
let failures: string[] = [];
let issuer: Issuer;
let logger = fakeLogger();
beforeEach(() => {
  clock = fakeClock(Date.now());
  failures = [];
  logger = fakeLogger();
  issuer = issuerAt(provider.url);
});

function issuerAt(url: string): Issuer {
  const settings = {
    issuer: url,
    audience: IssuerProcess.AUDIENCE,
    principal: 'sub',
    roles: { claim: 'groups', map: {} },
    algorithms: ['RS256' as const],
    clock_skew_ms: 30_000,
    jwks_max_age_ms: 60 * MINUTE,
    network: {},
  };
  return new Issuer(settings, {
    clock,
    directory: process.cwd(),
    logger: logger as never,
    onFailure: (name) => failures.push(name),
  });
}

const far = (): number => Math.floor(Date.now() / 1000) + 86_400;
const token = (): Promise<string> => provider.sign(provider.claims('anna', { exp: far() }));
const verify = async (jwt: string | Promise<string>): Promise<string> => {
  try {
    return String((await issuer.verify(await jwt, IssuerProcess.AUDIENCE)).sub);
  } catch (error) {
    return String((error as { code?: string }).code);
  }
};

it('a new key is found at once, and unknown ones cause a request at most every 30 s', async () => {
  expect(await verify(token())).toBe('anna');
  const old = await token();
  await provider.rotate();
  // The first fetch was a moment ago.
  expect(await verify(token())).toBe('SVC-AUTH-001');
  clock.advance(30_000);
  expect(await verify(token())).toBe('anna');
  expect(await verify(old)).toBe('SVC-AUTH-001');
  expect(failures).toEqual([]);
});

it('a key that the issuer removed is refused after ten minutes at most', async () => {
  const old = await token();
  expect(await verify(old)).toBe('anna');
  await provider.rotate();
  clock.advance(10 * MINUTE - 1);
  expect(await verify(old)).toBe('anna');
  clock.advance(1);
  expect(await verify(old)).toBe('SVC-AUTH-001');
});

it('keys of an unavailable issuer are used up to their maximum age; it is called every 30 s', async () => {
  const jwt = await token();
  expect(await verify(jwt)).toBe('anna');
  await provider.stop();
  clock.advance(60 * MINUTE - 1);
  expect(await verify(jwt)).toBe('anna');
  expect(await verify(jwt)).toBe('anna');
  expect(failures).toEqual([provider.url]);
  clock.advance(1);
  expect(await verify(jwt)).toBe('SVC-AUTH-004');
  await provider.start();
  expect(await verify(jwt)).toBe('SVC-AUTH-004');
  clock.advance(30_000);
  expect(await verify(jwt)).toBe('anna');
});

it('a token of an issuer that was never reached is refused with a time to retry', async () => {
  await provider.stop();
  const jwt = await token();
  await expect(issuer.verify(jwt, IssuerProcess.AUDIENCE)).rejects.toMatchObject({ code: 'SVC-AUTH-004', retry_after_s: 30 });
  await provider.start();
  clock.advance(30_000);
  expect(await verify(jwt)).toBe('anna');
});

it.each(['/.well-known/openid-configuration', '/jwks'])(
  'an endless answer of %s is read up to 1 MB, and no further',
  async (long) => {
    const MEGABYTE = 1_000_000;
    const piece = Buffer.alloc(MEGABYTE / 10, ' ');
    let written = 0;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      response.setHeader('content-type', 'application/json');
      if (request.url !== long) {
        response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks`, authorization_endpoint: `${url}/auth` }));
        return;
      }
      response.once('close', resolve);
      const write = (): void => {
        while (!response.destroyed && written < 100 * MEGABYTE) {
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', write);
        }
        response.end('{}');
      };
      write();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      issuer = issuerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      expect(await verify(token())).toBe('SVC-AUTH-004');
      await closed;
      // With what the buffers on the way hold.
      expect(written).toBeLessThan(50 * MEGABYTE);
      expect(JSON.stringify(logger)).toContain('ANSWER_TOO_LARGE');
    } finally {
      server.close();
    }
  },
);
