import type { ServerResponse } from 'node:http';
import { JSON_LIMITS } from '@svc/sdk/json';
import { fakeGuardContext, fakeLogger, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Endpoint, policy } from './endpoint-fixture.ts';
import webhook from './index.ts';
import type { Options } from './options.ts';

const MARKER = 'ENDPOINT-TEXT-MARKER';
const endpoint = new Endpoint(policy);
beforeAll(() => endpoint.listen());
afterAll(() => endpoint.close());

const segments = fakeSegments('ingress', ['a secret']);
const guardOf = (options: Partial<Options> = {}) => {
  const logger = fakeLogger();
  const guard = webhook.create(
    {
      url: endpoint.url,
      secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      allow_private: true,
      max_response_bytes: 1000,
      verdicts: ['sanitize', 'block'],
      ...options,
    },
    { ...fakePluginDeps(), logger, name: 'policy' },
  );
  return { guard, reasons: () => logger.lines.map(({ fields }) => Reflect.get(fields, 'reason')), logger };
};
const answering = (value: unknown) => (_: unknown, response: ServerResponse) => {
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
};

it('sends the fields of the contract, and nothing more', async () => {
  endpoint.behave(policy);
  await guardOf().guard.check(segments, fakeGuardContext({ stage: 'egress', mode: 'observe', node: 'policy' }));
  expect(endpoint.asked.at(-1)?.question).toEqual({
    version: 1,
    stage: 'egress',
    node: 'policy',
    route: 'default',
    principal_id: 'alice',
    run_id: '01900000-0000-7000-8000-000000000001',
    mode: 'observe',
    segments,
  });
});

it('signs every message with a unique id', async () => {
  endpoint.behave(policy);
  const { guard } = guardOf();
  for (let i = 0; i < 2; i++) await guard.check(segments, fakeGuardContext());
  const [one, two] = endpoint.asked.slice(-2).map(({ headers }) => headers['webhook-id']);
  expect(one).toMatch(/^msg_/);
  expect(one).not.toBe(two);
});

it('accepts a verdict with missing optional fields, and drops unknown ones', async () => {
  endpoint.behave(answering({ verdict: 'block', more: MARKER, findings: [{ entity_type: 'A', count: 1, more: MARKER }] }));
  expect(await guardOf().guard.check(segments, fakeGuardContext())).toEqual({
    verdict: 'block',
    code: 'webhook',
    edits: [],
    findings: [{ entity_type: 'A', count: 1 }],
  });
});

it.each([
  ['block', { hint: { text: 'Leave it out.' } }],
  ['sanitize', {}],
  ['allow', {}],
])('passes on the hint of %s if the caller receives it', async (verdict, expected) => {
  endpoint.behave(answering({ verdict, hint: { text: 'Leave it out.' } }));
  const { hint } = await guardOf().guard.check(segments, fakeGuardContext());
  expect({ hint }).toEqual(expected);
});

describe('has no verdict, throws and logs why', () => {
  it.each<[string, (asked: unknown, response: ServerResponse) => void, string]>([
    ['status 500', (_, response) => response.writeHead(500).end(MARKER), 'status'],
    ['status 204', (_, response) => response.writeHead(204).end(), 'status'],
    ['status 201 with a verdict', (_, response) => response.writeHead(201).end('{"verdict":"allow"}'), 'status'],
    ['a redirect', (_, response) => response.writeHead(307, { location: endpoint.url }).end(), 'status'],
    ['nothing', answering(''), 'no-verdict'],
    ['no JSON', answering(MARKER), 'no-verdict'],
    ['another JSON', answering([MARKER]), 'no-verdict'],
    ['an unknown verdict', answering({ verdict: 'maybe' }), 'no-verdict'],
    ['a code that is a sentence', answering({ verdict: 'allow', code: 'all is well' }), 'no-verdict'],
    [
      'an edit without its end',
      answering({ verdict: 'sanitize', edits: [{ segment: 0, start: 0, replacement: '' }] }),
      'no-verdict',
    ],
    ['a verdict that is not listed', answering({ verdict: 'require_approval' }), 'undeclared-verdict'],
    ['too much', answering({ verdict: 'allow', more: 'x'.repeat(1000) }), 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    ['a broken connection', (_, response) => response.destroy(), 'UND_ERR_SOCKET'],
  ])('%s', async (_, behave, reason) => {
    endpoint.behave(behave);
    const { guard, reasons, logger } = guardOf();
    await expect(guard.check(segments, fakeGuardContext())).rejects.toThrow();
    expect(reasons()).toEqual([reason]);
    expect(JSON.stringify(logger.lines)).not.toMatch(/MARKER|secret/);
  });

  it('no server that listens', async () => {
    const { guard, reasons } = guardOf({ url: 'http://127.0.0.1:1/check' });
    await expect(guard.check(segments, fakeGuardContext())).rejects.toThrow();
    expect(reasons()).toEqual(['ECONNREFUSED']);
  });

  it('an endpoint that never answers, once the time limit is over', async () => {
    const asked = Promise.withResolvers<void>();
    endpoint.behave(() => asked.resolve());
    const { guard, reasons } = guardOf();
    const abort = new AbortController();
    const checking = guard.check(segments, fakeGuardContext({ signal: abort.signal }));
    await asked.promise;
    abort.abort();
    await expect(checking).rejects.toThrow();
    expect(reasons()).toEqual(['given-up']);
  });
});

it('does not start with a secret that cannot sign', async () => {
  await expect(guardOf({ secret: 'secret://env/POLICY_SECRET#value' }).guard.start?.()).rejects.toThrow(/^secret: /);
});

it('accepts no verdict from more JSON than a parser may build', async () => {
  const edits = Array.from({ length: JSON_LIMITS.values }, () => 1);
  endpoint.behave(answering({ verdict: 'allow', ignored: edits }));
  const { guard, reasons } = guardOf({ max_response_bytes: 1_000_000 });
  await expect(guard.check(segments, fakeGuardContext())).rejects.toThrow();
  expect(reasons()).toEqual(['no-verdict']);
});
