import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  broken,
  completionOf,
  frames as framesOf,
  held,
  raw,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

/** Every value that a caller wrote, by what it is. None of them is for events, records, metrics, the log or errors. */
const values: string[] = [];
const email = (): string => keep(`p${randomBytes(6).toString('hex')}@example.org`);
const password = (): string => keep(`Zw7-${randomBytes(9).toString('hex')}`);

function keep(value: string): string {
  values.push(value);
  return value;
}

const prompt = (more = ''): string => `${more}I am ${email()}, password: ${password()}.`;
const MASKED = 'I am <EMAIL_ADDRESS_1>, password: <SECRET_1>.';

let upstream: Upstream;
let gateway: TestGateway;
/** Errors, and headers of every answer. */
const told: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  const wire = { name: 'wire', words: ['wire transfer'], verdict: 'require_approval' };
  gateway = await TestGateway.start({
    config: {
      providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'eu' } },
      packs: { pii: { restore: true }, secrets: { restore: true }, policy: { type: 'rules', rules: [wire] } },
      routes: {
        default: {
          provider: 'upstream',
          model: 'm-1',
          pipeline: { ingress: ['secrets', 'pii', 'policy'], egress: ['pii', 'secrets', 'policy'] },
        },
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

async function chat(content: string) {
  const response = await gateway.chat(content);
  told.push(JSON.stringify([...response.headers]), response.status >= 400 ? response.text : '');
  return response;
}

const sent = (): string => JSON.parse(upstream.requests.at(-1)?.text ?? '{}').messages[0].content;
const decide = (run_id: string, decision: string) =>
  gateway.request('POST', `/v1/runs/${run_id}/resume`, { principal: 'bob', body: { decision } });

describe('a masked value appears only where it was written', () => {
  it.each(['approved', 'denied'])('in a run that paused and was %s, even after a crash', async (decision) => {
    if (decision === 'approved')
      upstream.respond(answer(completionOf({ model: 'm-1' }, `to <EMAIL_ADDRESS_1>, <SECRET_1> and ${email()}`)));
    const { body } = await chat(prompt('wire transfer. '));
    const pending = await gateway.get(`/v1/runs/${body.svc_run_id}/pending`, 'bob');
    expect(pending.body.messages).toMatchObject([{ content: `wire transfer. ${MASKED}` }]);
    await gateway.stop('SIGKILL');
    await gateway.launch();
    expect((await decide(body.svc_run_id, decision)).status).toBe(200);
  });

  it('in a run that was interrupted at the upstream', async () => {
    const late = held(answer(completionOf({ model: 'm-1' }, 'late')));
    upstream.respond(late.behaviour);
    const asked = upstream.received(upstream.requests.length + 1);
    const left = chat(prompt()).catch(() => 'left');
    await asked;
    expect(sent()).toBe(MASKED);
    await gateway.stop('SIGKILL');
    expect(await left).toBe('left');
    await gateway.launch();
  });

  it.each([400, 429, 500])('in the error of an upstream that answers %i and repeats the request', async (status) => {
    const text = prompt();
    upstream.respond(raw(status, { 'content-type': 'application/json' }, JSON.stringify({ error: { message: `no: ${text}` } })));
    expect((await chat(text)).status).toBeGreaterThanOrEqual(400);
    expect(sent()).toBe(MASKED);
  });

  it('in a stream that ends or breaks off in the middle of a value', async () => {
    for (const end of [[chunk({}, { finish_reason: 'stop' })], []]) {
      upstream.respond(
        framesOf([chunk({ content: `ask ${email()}` }), chunk({ content: ` or ${email().slice(0, 9)}` }), ...end]),
      );
      await readStream(gateway, prompt(), { model: 'default' });
    }
    upstream.respond(broken(`data: ${JSON.stringify(chunk({ content: email() }))}\n\n`));
    await readStream(gateway, prompt(), { model: 'default' }).catch(() => null);
  });
});

describe('afterwards', () => {
  const found = (haystack: string): string[] => values.filter((value) => haystack.toLowerCase().includes(value.toLowerCase()));

  it('no value is in events, ledger, metrics, errors and headers', async () => {
    expect(values.length).toBeGreaterThan(18);
    for (const path of ['/v1/audit?limit=10000', '/v1/audit/ledger?limit=10000', '/metrics'])
      expect(found((await gateway.get(path)).text)).toEqual([]);
    const { runs }: { runs: JsonObject[] } = (await gateway.get('/v1/audit?limit=10000')).body;
    for (const { run_id } of runs) expect(found((await gateway.get(`/v1/runs/${run_id}`)).text)).toEqual([]);
    expect(found(told.join('\n'))).toEqual([]);
  });

  it('no value is in the output of the process', async () => {
    await gateway.stop();
    expect(gateway.output).toContain('"event":"stopped"');
    expect(found(gateway.output)).toEqual([]);
  });
});
