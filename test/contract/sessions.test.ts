import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baggageEntryMetadataFromString, defaultTextMapSetter, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { W3CBaggagePropagator } from '@opentelemetry/core';
import type { RunEvidence } from '@svc/contracts';
import { placeRecord, prepareRecord } from '@svc/ledger';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

const MAIL = 'ann.lee@example.org';

let gateway: TestGateway;
beforeAll(async () => {
  const limits = [{ scope: 'session', unit: 'calls', amount: 2, period: 'session' }];
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { budget: { type: 'budget', limits } },
      routes: {
        default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } },
        budgeted: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['budget', 'policy'], egress: ['budget'] } },
        limited: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } },
      },
      limits: [{ session: '*', concurrent: 50, requests_per_minute: 12 }],
    }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob', roles: ['call'] },
      { principal_id: 'ada', roles: ['audit', 'admin'] },
      { principal_id: 'narrow', roles: ['audit'], routes: ['default'] },
    ],
  });
});
afterAll(() => gateway.dispose());

interface Asked {
  readonly principal?: string;
  readonly model?: string;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

function chat(session: string, { principal = 'alice', model = 'default', text = 'hello', headers = {} }: Asked = {}) {
  const body = { model, messages: [{ role: 'user', content: text }], user: MAIL };
  const own = { 'x-svc-session': session, 'user-agent': 'codex_exec/0.169.0 (Debian)', ...headers };
  return gateway.request('POST', '/v1/chat/completions', { principal, headers: own, body });
}

async function records(): Promise<RunEvidence[]> {
  return (await gateway.get('/v1/audit/ledger?limit=10000', 'ada')).body.records;
}

const exported = async (session: string, principal = 'alice'): Promise<string[]> => {
  const query = new URLSearchParams({ session, principal });
  const response = await fetch(`${gateway.url}/v1/audit/session?${query}`, {
    headers: { authorization: `Bearer ${gateway.key('ada')}` },
  });
  expect(response.status).toBe(200);
  return (await response.text()).trimEnd().split('\n');
};

interface Verified {
  readonly code: number;
  readonly said: { readonly verdict: string; readonly records: number; readonly fault: { why: string } | null; proven: string[] };
}

/** Runs `svc ledger verify` on lines of an export. */
async function verify(lines: readonly string[], key = true): Promise<Verified> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'session.jsonl');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const { verifier_keys } = (await gateway.get('/v1/audit/ledger/keys', 'ada')).body;
  const args = ['ledger', 'verify', file, '--json', ...(key ? ['--key', verifier_keys[0]] : [])];
  const { status: code, stdout } = await svcHere(args);
  return { code, said: stdout === '' ? null : JSON.parse(stdout) };
}

it('is in the run, the evidence, lists and usage, with the client and a pseudonym of the user', async () => {
  const first = await chat('shown');
  const run_id = first.headers.get('x-svc-run-id');
  const facts = { session: 'shown', client: 'codex_exec', user: expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/) };
  expect((await gateway.get(`/v1/runs/${run_id}`, 'alice')).body).toMatchObject(facts);
  expect((await gateway.get('/v1/audit?session=shown', 'ada')).body.runs).toMatchObject([{ run_id, ...facts }]);
  const evidence = (await records()).find((record) => record.run_id === run_id);
  expect(evidence).toMatchObject({ ...facts, session: { id: 'shown', number: 1, prev_hash: 'genesis' } });
  for (const [group, name] of Object.entries(facts)) {
    const { groups } = (await gateway.get(`/v1/usage?group_by=${group}`, 'ada')).body;
    expect(groups).toContainEqual(expect.objectContaining({ name, runs: expect.any(Number) }));
  }
  expect(JSON.stringify(await records())).not.toContain(MAIL);
});

it('belongs to its principal: the same id of another one is another session', async () => {
  for (const principal of ['alice', 'bob', 'alice']) await chat('same', { principal });
  const numbers = (await records())
    .filter(({ session }) => session?.id === 'same')
    .map(({ principal_id, session }) => [principal_id, session?.number]);
  expect(numbers).toEqual([
    ['alice', 1],
    ['bob', 1],
    ['alice', 2],
  ]);
  const { groups } = (await gateway.get('/v1/usage?group_by=session', 'ada')).body;
  const those = groups.filter(({ name }: { name: string }) => name === 'same');
  expect(those.map(({ principal_id, runs }: { principal_id: string; runs: number }) => [principal_id, runs]).sort()).toEqual([
    ['alice', 2],
    ['bob', 1],
  ]);
  expect((await exported('same')).length).toBe(3);
  expect((await exported('same', 'bob')).length).toBe(2);
});

it('refuses an invalid x-svc-session, and nothing else that a client sends', async () => {
  const long = await chat('x'.repeat(129));
  expect([long.status, long.body.code ?? long.body.error.code]).toEqual([400, 'SVC-REQ-001']);
  const headers = { baggage: 'session.id=%zz', 'x-claude-code-session-id': 'a b' };
  const body = { model: 'default', messages: [{ role: 'user', content: 'hello' }], metadata: { user_id: '{' } };
  expect((await gateway.request('POST', '/v1/chat/completions', { principal: 'alice', headers, body })).status).toBe(200);
});

it.each([
  ['conversation-7', 'conversation-7'],
  ['a,b;c=d "e" 100%', null],
  ['Gespräch 😀', null],
])("reads the session in the baggage of OpenTelemetry's client: %s", async (id, shown) => {
  const baggage = propagation.createBaggage({
    'user.id': { value: MAIL },
    'session.id': { value: id, metadata: baggageEntryMetadataFromString('ttl=60') },
    tenant: { value: 'session.id=other' },
  });
  const headers: Record<string, string> = {};
  new W3CBaggagePropagator().inject(propagation.setBaggage(ROOT_CONTEXT, baggage), headers, defaultTextMapSetter);
  const client = new OpenAI({
    apiKey: gateway.key('alice'),
    baseURL: `${gateway.url}/v1`,
    defaultHeaders: headers,
    maxRetries: 0,
  });
  const { response } = await client.chat.completions
    .create({ model: 'default', messages: [{ role: 'user', content: 'hello' }] })
    .withResponse();
  const record = (await records()).find(({ run_id }) => run_id === response.headers.get('x-svc-run-id'));
  // An id that is not 1 to 128 visible ASCII characters is hashed.
  expect(record?.session?.id).toBe(shown ?? `sha256:${createHash('sha256').update(id).digest('hex')}`);
  expect(JSON.stringify(record)).not.toContain(MAIL);
});

it('limits the calls of a session, of each principal separately', async () => {
  const finish = async (asked: Asked) => (await chat('calls', { model: 'budgeted', ...asked })).body.choices[0].finish_reason;
  // A run that stops before its model has made no call.
  expect(await finish({ text: 'forbidden' })).toBe('content_filter');
  expect([await finish({}), await finish({}), await finish({})]).toEqual(['stop', 'stop', 'content_filter']);
  expect(await finish({ principal: 'bob' })).toBe('stop');
  const stopped = (await gateway.get('/v1/audit?session=calls&principal=alice&limit=1', 'ada')).body.runs[0];
  expect(JSON.stringify(stopped.events)).toContain('over-session-calls-session');
});

it('limits the requests of a session', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 13; n += 1) statuses.push((await chat('many')).status);
  expect(statuses.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 200));
  const refused = await chat('many');
  expect([refused.status, refused.body.code ?? refused.body.error.code]).toEqual([429, 'SVC-LIMIT-001']);
  expect((await chat('other')).status).toBe(200);
});

describe('an export of a session', () => {
  let lines: string[];
  beforeAll(async () => {
    for (let n = 0; n < 4; n += 1) {
      await chat('export');
      await chat('between');
    }
    lines = await exported('export');
  });

  it('is complete', async () => {
    expect(lines.length).toBe(5);
    expect(await verify(lines)).toMatchObject({
      code: 0,
      said: { verdict: 'anchored', records: 4, proven: expect.arrayContaining(['session']) },
    });
    expect(await verify(lines, false)).toMatchObject({ code: 3, said: { verdict: 'self_attested' } });
  });

  it.each([
    ['the first run', 1],
    ['a run in the middle', 2],
    ['the last run', 4],
  ])('shows that %s is missing', async (_, index) => {
    for (const key of [true, false]) {
      const { code, said } = await verify(lines.toSpliced(index, 1), key);
      expect([code, said.fault?.why]).toEqual([4, index === 4 ? 'cut_off' : 'wrong_session']);
    }
  });

  it('shows that a run is missing even if the later ones were renumbered', async () => {
    let prev_hash = 'genesis';
    const renumbered = lines.slice(2).map((line, index) => {
      const { hash: _, prev_hash: before, seq, session, ...body } = JSON.parse(line);
      const placed = placeRecord(prepareRecord(body), seq, before, { ...session, number: index + 1, prev_hash });
      prev_hash = placed.hash;
      return placed.bytes;
    });
    expect(await verify([lines[0] ?? '', ...renumbered])).toMatchObject({ code: 4, said: { fault: { why: 'cut_off' } } });
    const padded = [lines[0] ?? '', ...renumbered, renumbered[0] ?? ''];
    expect((await verify(padded)).code).toBe(4);
  });

  it('shows that the closing statement is missing, belongs to another session, or is not signed', async () => {
    expect((await verify(lines.slice(1))).code).not.toBe(0);
    expect((await verify(lines.slice(1), false)).code).toBe(4);
    const [other = ''] = await exported('between');
    expect((await verify([other, ...lines.slice(1)])).said).toMatchObject({ verdict: 'broken', fault: { why: 'wrong_session' } });
    const forged = (lines[0] ?? '').replace(/\\n4\\n/, '\\n3\\n');
    expect(forged).not.toBe(lines[0]);
    expect((await verify([forged, ...lines.slice(1, 4)])).code).toBe(1);
  });

  it('is for auditors of all routes, and only for existing sessions', async () => {
    const path = '/v1/audit/session?session=export&principal=alice';
    expect((await gateway.get(path, 'narrow')).body.code).toBe('SVC-AUTH-002');
    expect((await gateway.get(path, 'bob')).body.code).toBe('SVC-AUTH-002');
    expect((await gateway.get('/v1/audit/session?session=none&principal=alice', 'ada')).body.code).toBe('SVC-REQ-001');
  });
});
