import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../harness/gateway.ts';
import {
  CALLER,
  CHAT,
  describeAftermath,
  IllTreated,
  MALFORMED,
  MESSAGES,
  NO_PATH,
  NO_ROUTE,
  NO_RUN,
  named,
  UNAUTHENTICATED,
} from './bad-input.ts';

let treated: IllTreated;
let gateway: TestGateway;
beforeAll(async () => {
  treated = await IllTreated.start();
  gateway = treated.gateway;
});
afterAll(() => gateway.dispose());

describe('an unknown route', () => {
  const names = [
    'nope',
    '',
    ' default',
    'Default',
    '__proto__',
    'constructor',
    'toString',
    '../default',
    CALLER,
    'x'.repeat(100_000),
  ];
  it.each(named(names))('is 404 on chat, before messages are looked at: %j', async (_short, model) => {
    treated.expectRefusal(await treated.send(CHAT, { model, messages: CALLER, n: 'x' }), NO_ROUTE);
  });

  it.each(named(names))('is 404 on runs: %j', async (_short, route) => {
    treated.expectRefusal(await treated.send('/v1/runs', { route, messages: MESSAGES }), NO_ROUTE);
  });
});

describe('an unknown run', () => {
  const ids = [
    '018f0000-0000-7000-8000-000000000000',
    'x',
    '0',
    '-1',
    '__proto__',
    'constructor',
    '..%2f..%2fetc%2fpasswd',
    '%00',
    '%01%02%03',
    '%0d%0aset-cookie:%20a=b',
    '%F0%9F%98%80',
    '%ED%95%9C',
    CALLER,
    'a'.repeat(101),
    'a'.repeat(5000),
    encodeURIComponent('é'.repeat(300)),
  ];
  it.each(named(ids))('is 404: %s', async (_short, id) => {
    for (const path of ['', '/pending', '/response']) treated.expectRefusal(await gateway.get(`/v1/runs/${id}${path}`), NO_RUN);
    treated.expectRefusal(await treated.send(`/v1/runs/${id}/resume`, { decision: 'approved' }), NO_RUN);
  });
});

describe('an unknown path or method', () => {
  const wrong = named([
    'GET /v1/nothing',
    'GET /v2/models',
    'GET /V1/models',
    'GET /v1/models;a=b',
    'GET /v1/runs',
    'GET /v1/runs/x/resume',
    `GET ${CHAT}`,
    'GET /.env',
    `GET /${'a'.repeat(5000)}`,
    `POST /${CALLER}?a=${CALLER}`,
    'POST /v1/models',
    'POST /v1/audit',
    `PUT ${CHAT}`,
    'PATCH /v1/runs/x',
    'DELETE /v1/audit/ledger',
    'DELETE /v1/runs/x',
    `OPTIONS ${CHAT}`,
    'QUERY /v1/health',
    'PROPFIND /v1/health',
  ]);
  it.each(wrong)('is 404, and 401 without a key: %s', async (_name, request) => {
    const [method = '', path = ''] = request.split(' ');
    treated.expectRefusal(await gateway.request(method, path), NO_PATH);
    treated.expectRefusal(await gateway.request(method, path, { principal: null }), UNAUTHENTICATED);
  });

  it.each([
    ['malformed JSON', '{', 'application/json'],
    ['another type', CALLER, 'text/csv'],
  ])('is 404 whatever the body: %s', async (_what, body, type) => {
    treated.expectRefusal(await treated.send('/v1/nothing', body, { 'content-type': type }), NO_PATH);
  });

  it.each(['/v1/%ZZ', '/v1/runs/%ZZ', '/v1/runs/%', '/%C0%80', '/v1/runs/%ED%A0%80', `/${CALLER}%ZZ`])(
    'is 400 for an address that cannot be decoded, without a key 401: %s',
    async (path) => {
      treated.expectRefusal(await gateway.get(path), MALFORMED);
      treated.expectRefusal(await gateway.get(path, null), UNAUTHENTICATED);
    },
  );
});

describe('a query parameter', () => {
  const dates = `yesterday 0 1e3 2026 2026-1-1 2026-13-01 2026-02-30 2026-00-10 2026-01-01T25:00:00Z 2026-01-01T24:00:01Z
    2026-01-01T00:60:00Z 2026-01-01T00:00:00%2B25:00 2026-01-01Z -2026-01-01 20260101 2026-01-01;drop %00 %ZZ ${CALLER}`;
  const limits = `0 -1 10001 1e9 many 1.5 NaN Infinity -Infinity 1e400 x null [] ${CALLER}`;
  const seqs = `-1 -0.5 1.5 NaN Infinity 1e400 x genesis ${CALLER}`;
  const runCursors = `x 1 -1 e30 WzEsMl0 WyJhIl0 bnVsbA ${Buffer.from('["\\u0000","x"]').toString('base64url')} ${CALLER}`;
  const ledgerCursors = `x -1 1.5 1e3 0x10 WyJhIiwiYiJd ${CALLER}`;
  /** Each value, none, and one that is absurdly long. */
  const withEach = (path: string, values: string, long: string): string[] =>
    ['', ...values.split(/\s+/), long].map((value) => `${path}=${value}`);
  const ledgers = ['/v1/audit/ledger', '/v1/audit/inventory'];
  const bad = [
    ...withEach('/v1/audit?since', dates, '9'.repeat(5000)),
    ...withEach('/v1/audit?status', `running,paused PAUSED ${CALLER}`, 'x'.repeat(5000)),
    ...['/v1/audit', ...ledgers].flatMap((path) => withEach(`${path}?limit`, limits, '9'.repeat(400))),
    ...withEach('/v1/audit/ledger?since_seq', seqs, 'x'.repeat(5000)),
    ...withEach('/v1/audit?cursor', runCursors, 'A'.repeat(5000)),
    ...ledgers.flatMap((path) => withEach(`${path}?cursor`, ledgerCursors, '9'.repeat(400))),
    '/v1/audit?since=2026-01-01&since=2026-01-02',
    '/v1/audit?limit=1&limit=2',
  ];
  it.each(named(bad))('%s is 400', async (_short, path) => {
    treated.expectRefusal(await gateway.get(path), MALFORMED);
  });

  it.each(['1000000', '9007199254740991'])('since_seq beyond the end (%s) finds nothing', async (seq) => {
    const { status, body } = await gateway.get(`/v1/audit/ledger?since_seq=${seq}`);
    expect([status, body]).toEqual([200, { records: [] }]);
  });

  it.each(['nope', '__proto__', 'x'.repeat(3000), '%00', '%F0%9F%98%80'])(
    'with an unknown route or principal finds nothing: %s',
    async (name) => {
      for (const path of ['/v1/audit?route=', '/v1/audit?principal='])
        expect((await gateway.get(`${path}${name}`)).body).toEqual({ runs: [] });
      for (const path of ['/v1/audit/ledger?route=', '/v1/audit/inventory?route='])
        expect((await gateway.get(`${path}${name}`)).body).toEqual({ records: [] });
    },
  );

  it.each([CALLER, '__proto__'])('with an unknown name is 400: %s', async (name) => {
    const answer = await gateway.get(`/v1/audit?limit=1&${name}=1`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'SVC-REQ-001' } });
    expect(answer.text).not.toContain(CALLER);
  });
});

describe('a key', () => {
  const hex = 'a'.repeat(64);
  const forms = [
    '',
    'Bearer',
    'Bearer ',
    `Bearer svc-${hex.slice(1)}`,
    `Bearer svc-${hex}a`,
    `Bearer svc-${'g'.repeat(64)}`,
    `Bearer sk-${hex}`,
    `Bearer ${hex}`,
    `Bearer svc_${hex}`,
    `svc-${hex}`,
    `Basic ${Buffer.from(`alice:svc-${hex}`).toString('base64')}`,
    `Bearer svc-${hex}, Bearer svc-${hex}`,
    `Bearer ${'x'.repeat(8000)}`,
    'Bearer __proto__',
  ];
  it.each(named(forms))('with an invalid form is 401: %j', async (_short, authorization) => {
    treated.expectRefusal(
      await gateway.request('GET', '/v1/health', { principal: null, headers: { authorization } }),
      UNAUTHENTICATED,
    );
  });

  it.each([
    ['in capitals', (key: string) => `Bearer ${key.toUpperCase()}`],
    ['without Bearer', (key: string) => key],
    ['with another scheme', (key: string) => `Token ${key}`],
    ['with one character more', (key: string) => `Bearer ${key}0`],
    ['with one character less', (key: string) => `Bearer ${key.slice(0, -1)}`],
    ['after two spaces', (key: string) => `Bearer  ${key}`],
    ['after a tab', (key: string) => `Bearer\t${key}`],
    ['twice', (key: string) => `Bearer ${key}, Bearer ${key}`],
  ])('that is valid, but sent %s, is 401', async (_how, form) => {
    const headers = { authorization: form(gateway.key('alice')) };
    treated.expectRefusal(await gateway.request('GET', '/v1/health', { principal: null, headers }), UNAUTHENTICATED);
  });

  it('in the address, a cookie or x-api-key does not count', async () => {
    const key = gateway.key('alice');
    treated.expectRefusal(await gateway.get(`/v1/health?key=${key}&authorization=Bearer%20${key}`, null), UNAUTHENTICATED);
    const headers = { 'x-api-key': key, cookie: `key=${key}` };
    treated.expectRefusal(await gateway.request('GET', '/v1/health', { principal: null, headers }), UNAUTHENTICATED);
  });
});

describeAftermath(() => treated);
