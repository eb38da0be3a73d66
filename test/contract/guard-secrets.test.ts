import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, frames as framesOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

/** Every secret that was handed out: it stands nowhere afterwards but in what was asked for. */
const handed: string[] = [];
const secret = (text: string): string => {
  handed.push(text);
  return text;
};
const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/[+/=]/g, 'x');
const github = (): string => secret(`ghp_${base64(60).slice(0, 36)}`);
const openai = (): string => secret(`sk-proj-${base64(90)}`);
const password = (): string => secret(`Zw7-${randomBytes(9).toString('hex')}`);
const keyLines = (): string[] => Array.from({ length: 24 }, () => secret(randomBytes(48).toString('base64')));
const pem = (lines: readonly string[]): string => `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----`;

let upstream: Upstream;
let gateway: TestGateway;
const told: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  const pipeline = (node: string): JsonObject => ({ ingress: [node], egress: [node] });
  const route = (node: string): JsonObject => ({ provider: 'upstream', model: 'm-1', pipeline: pipeline(node) });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'eu' } },
      packs: {
        secrets: {},
        stop: { type: 'secrets', verdict: 'block' },
        ask: { type: 'secrets', verdict: 'require_approval' },
        watch: { type: 'secrets', verdict: 'block', mode: 'observe' },
      },
      routes: { masked: route('secrets'), stopped: route('stop'), asked: route('ask'), watched: route('watch') },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

async function chat(body: JsonObject) {
  const response = await gateway.post('/v1/chat/completions', body);
  told.push(JSON.stringify([...response.headers]));
  return { ...response.body, run_id: response.headers.get('x-svc-run-id') };
}

const user = (content: unknown): JsonObject => ({ messages: [{ role: 'user', content }] }) as JsonObject;
const sent = (): string => upstream.requests.at(-1)?.text ?? '';

describe('the guard secrets', () => {
  it('masks secrets anywhere in a request before the model call', async () => {
    const [key, pat, pass] = [openai(), github(), password()];
    const body = {
      model: 'masked',
      messages: [
        { role: 'system', content: `Use ${pat}.` },
        { role: 'user', content: [{ type: 'text', text: `key: ${key}` }], name: pat },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'login', arguments: JSON.stringify({ [pat]: { note: `password: ${pass}` } }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: pem(keyLines()) },
      ],
    };
    await chat(body);
    const { messages } = JSON.parse(sent());
    expect(messages).toMatchObject([
      { content: 'Use <GITHUB_TOKEN>.' },
      { content: [{ text: 'key: <OPENAI_KEY>' }], name: '<GITHUB_TOKEN>' },
      { tool_calls: [{ function: { arguments: '{"<GITHUB_TOKEN>":{"note":"password: <SECRET>"}}' } }] },
      { content: '<PRIVATE_KEY>' },
    ]);
  });

  it('masks in an answer, and records names and counts', async () => {
    const pat = github();
    upstream.respond(answer(`Take ${pat} or ${pat}, or\n${pem(keyLines())}\nas you like.`));
    const body = await chat({ model: 'masked', ...user('hello') });
    expect(body.choices[0].message.content).toBe('Take <GITHUB_TOKEN> or <GITHUB_TOKEN>, or\n<PRIVATE_KEY>\nas you like.');
    const { events } = (await gateway.get(`/v1/runs/${body.run_id}`)).body;
    const verdict = events.find(({ event_type, stage }: JsonObject) => event_type === 'verdict' && stage === 'egress');
    expect(verdict).toMatchObject({
      node: 'secrets',
      data: {
        verdict: 'sanitize',
        code: 'secret-found',
        package: '@svc/guard-secrets',
        findings: [
          { entity_type: 'GITHUB_TOKEN', count: 2 },
          { entity_type: 'PRIVATE_KEY', count: 1 },
        ],
      },
    });
  });

  it.each([1, 3, 7, 64])('masks a stream that comes in pieces of %i', async (size) => {
    const text = `Take ${openai()}, the password is ${password()}.\n${pem(keyLines())}\nThat is all.`;
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    upstream.respond(framesOf([...pieces.map((content) => chunk({ content })), chunk({}, { finish_reason: 'stop' })]));
    const { frames, done } = await readStream(gateway, 'hello', { model: 'masked' });
    expect(done).toBe(true);
    expect(textOf(frames)).toBe('Take <OPENAI_KEY>, the password is <SECRET>.\n<PRIVATE_KEY>\nThat is all.');
  });

  it('masks the arguments of streamed tool calls', async () => {
    const text = JSON.stringify({ token: github(), n: 1 });
    const call = (fields: JsonObject): JsonObject => chunk({ tool_calls: [{ index: 0, ...fields }] });
    upstream.respond(
      framesOf([
        call({ id: 'c1', type: 'function', function: { name: 'push', arguments: '' } }),
        ...[...text].map((piece) => call({ function: { arguments: piece } })),
        chunk({}, { finish_reason: 'tool_calls' }),
      ]),
    );
    const { raw } = await readStream(gateway, 'hello', { model: 'masked' });
    expect(raw).toContain(JSON.stringify('{"token":"<GITHUB_TOKEN>","n":1}'));
  });

  it('stops a stream before the secret if it blocks', async () => {
    upstream.respond(framesOf([...`Take ${github()} now`].map((content) => chunk({ content }))));
    const { frames } = await readStream(gateway, 'hello', { model: 'stopped' });
    expect(textOf(frames).startsWith('Take ')).toBe(true);
    expect(textOf(frames)).not.toContain('ghp_');
    expect(frames.at(-1)).toMatchObject({ svc_event: 'stream_violation', choices: [{ finish_reason: 'content_filter' }] });
  });

  it('blocks, or pauses with the masked text in front of the approver', async () => {
    expect((await chat({ model: 'stopped', ...user(`it is ${github()}`) })).choices[0].finish_reason).toBe('content_filter');
    const { run_id } = await chat({ model: 'asked', ...user(`it is ${github()}`) });
    const pending = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
    expect(pending.body.messages).toMatchObject([{ content: 'it is <GITHUB_TOKEN>' }]);
    expect(
      (await gateway.request('POST', `/v1/runs/${run_id}/resume`, { principal: 'bob', body: { decision: 'approved' } })).status,
    ).toBe(200);
    expect(sent()).toContain('it is <GITHUB_TOKEN>');
  });

  it('only looks where it observes', async () => {
    const { run_id } = await chat({ model: 'watched', ...user(`it is ${github()}`) });
    expect(sent()).toContain(handed.at(-1));
    const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
    expect(events.find(({ event_type }: JsonObject) => event_type === 'observed')?.data).toMatchObject({ verdict: 'block' });
  });
});

describe('afterwards there is no secret', () => {
  const found = (haystack: string): string[] => handed.filter((value) => haystack.includes(value.slice(8, 30)));

  it('in events, ledger, metrics, headers and the output of the process', async () => {
    expect(handed.length).toBeGreaterThan(100);
    const runs = await gateway.get('/v1/audit?limit=10000');
    const ledger = await gateway.get('/v1/audit/ledger?limit=10000');
    const metrics = await gateway.get('/metrics', null);
    expect(runs.body.runs.length).toBeGreaterThan(9);
    await gateway.stop();
    expect(gateway.output).toContain('"event":"stopped"');
    expect(found([runs.text, ledger.text, metrics.text, gateway.output, ...told].join('\n'))).toEqual([]);
  });
});
