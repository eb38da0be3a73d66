import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, frames as framesOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { readStream, textOf } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

/** Every value that was handed out; none may be found afterwards. */
const values: string[] = [];

/** An address that nothing but this test writes. */
function email(): string {
  const address = `p${randomBytes(6).toString('hex')}@example.org`;
  values.push(address);
  return address;
}

const CARD = '4111 1111 1111 1111';
const NAME = 'Theodora Winterbottom';
values.push(CARD, NAME);

let upstream: Upstream;
let gateway: TestGateway;

const route = (pack: string, more: JsonObject = {}): JsonObject => ({
  provider: 'upstream',
  model: 'm-1',
  pipeline: { ingress: [pack], egress: [pack] },
  ...more,
});

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'eu' } },
      packs: {
        pii: {},
        restoring: { type: 'pii', restore: true },
        blocking: { type: 'pii', verdict: 'block' },
        own: { type: 'pii', entities: [], recognizers: [{ entity: 'BADGE', pattern: '\\bB-\\d{4}\\b' }] },
      },
      routes: { default: route('pii'), restoring: route('restoring'), blocking: route('blocking'), own: route('own') },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const says = (content: string): void => upstream.respond(answer({ ...completionOf({ model: 'm-1' }, content) }));
const sent = (): string => upstream.requests.at(-1)?.text ?? '';
const stop = chunk({}, { index: 0, finish_reason: 'stop' });
const contentOf = ({ body }: { body: JsonObject }): unknown => Object(Object(body).choices?.[0]).message?.content;

describe('a route with pii in both stages', () => {
  it('sends placeholders, and gives the same value the same one in the answer', async () => {
    const [one, other] = [email(), email()];
    says(`to <EMAIL_ADDRESS_1>, ${other} and ${one.toUpperCase()}`);
    const asked = await gateway.chat(`I am ${NAME}, ${one}, card ${CARD}`);
    expect(JSON.parse(sent()).messages[0].content).toBe('I am <PERSON_1>, <EMAIL_ADDRESS_1>, card <CREDIT_CARD_1>');
    expect(contentOf(asked)).toBe('to <EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_2> and <EMAIL_ADDRESS_1>');
    const [, event] = (await gateway.ledger()).flatMap((record) => (record.events ?? []) as JsonObject[]).filter(isVerdict);
    expect(event).toMatchObject({
      node: 'pii',
      data: { verdict: 'sanitize', findings: [{ entity_type: 'EMAIL_ADDRESS', count: 2 }] },
    });
  });

  it('masks a stream as it arrives letter by letter', async () => {
    const one = email();
    upstream.respond(framesOf([...[...`write to ${one}, says ${NAME}.`].map((content) => chunk({ content })), stop]));
    const read = await readStream(gateway, `hello, ${one}`, { model: 'default' });
    expect(textOf(read.frames)).toBe('write to <EMAIL_ADDRESS_1>, says <PERSON_1>.');
    expect(read.raw).not.toContain(one);
    const events = (await gateway.get(`/v1/runs/${read.frames[0]?.svc_run_id ?? read.run_id}`)).body.events;
    expect(events.filter(isVerdict).at(-1)).toMatchObject({ stage: 'egress', data: { mode: 'window' } });
  });

  it('masks the arguments of tool calls, whole and streamed', async () => {
    const one = email();
    const call = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'send', arguments: JSON.stringify({ to: one, card: 4111111111111111 }) },
    };
    upstream.respond(framesOf([chunk({ tool_calls: [call] }), stop]));
    const { frames, raw } = await readStream(gateway, `to ${one}`, { model: 'default' });
    expect(raw).not.toMatch(new RegExp(`${one}|4111`));
    const calls = frames.flatMap(({ choices }) => choices.flatMap(({ delta }) => (delta.tool_calls ?? []) as JsonObject[]));
    const written = calls.map((each) => String(Object(each.function).arguments ?? '')).join('');
    expect(JSON.parse(written)).toEqual({ to: '<EMAIL_ADDRESS_1>', card: '<CREDIT_CARD_1>' });
  });

  it('reads text parts of one message as one', async () => {
    says('ok');
    const parts = [...['pay 4111 1111 ', '1111 1111 today'].map((text) => ({ type: 'text', text }))];
    await gateway.chat(parts);
    expect(JSON.parse(sent()).messages[0].content.map(({ text }: JsonObject) => text)).toEqual(['pay <CREDIT_CARD_1>', ' today']);
  });

  it('numbers interleaved choices, the second first, as in a whole answer', async () => {
    const [one, two] = [`ask ${email()}, or ${email()}.`, `or ask ${email()}.`];
    const index = (text: string, at: number) => [...text].map((content) => chunk({ content }, { index: at }));
    const [first, second] = [index(one, 0), index(two, 1)];
    const turns = second.flatMap((piece, n) => [piece, ...first.slice(n, n + 1)]);
    const ends = [0, 1].map((at) => chunk({}, { index: at, finish_reason: 'stop' }));
    upstream.respond(framesOf([...turns, ...first.slice(second.length), ...ends]));
    const { frames } = await readStream(gateway, 'hello', { model: 'default', n: 2 });
    expect([0, 1].map((at) => textOf(frames, at))).toEqual([
      'ask <EMAIL_ADDRESS_1>, or <EMAIL_ADDRESS_2>.',
      'or ask <EMAIL_ADDRESS_3>.',
    ]);
  });

  it('scans a large request in a worker thread', async () => {
    const one = email();
    says('ok');
    await gateway.chat(`${'no person, no number. '.repeat(3000)}${one}`);
    expect(sent()).not.toContain(one);
    expect(sent()).toContain('<EMAIL_ADDRESS_1>');
  });
});

describe('restore', () => {
  it("restores only the caller's own values, whole and streamed", async () => {
    const [own, system, others] = [email(), email(), email()];
    const text = `<EMAIL_ADDRESS_1> <EMAIL_ADDRESS_2> ${others}`;
    const messages = [
      { role: 'system', content: `the admin is ${system}` },
      { role: 'user', content: `I am ${own}` },
    ];
    says(text);
    const whole = await gateway.post('/v1/chat/completions', { model: 'restoring', messages });
    expect(contentOf(whole)).toBe(`<EMAIL_ADDRESS_1> ${own} <EMAIL_ADDRESS_3>`);
    upstream.respond(framesOf([...[...text].map((content) => chunk({ content })), stop]));
    const { frames } = await readStream(gateway, '', { model: 'restoring', messages });
    expect(textOf(frames)).toBe(`<EMAIL_ADDRESS_1> ${own} <EMAIL_ADDRESS_3>`);
  });
});

describe('other verdicts and patterns', () => {
  it('blocks a request and a stream', async () => {
    const one = email();
    expect((await gateway.chat(one, { model: 'blocking' })).body.choices[0].finish_reason).toBe('content_filter');
    upstream.respond(framesOf([...[...`go to ${one} now`].map((content) => chunk({ content })), stop]));
    const read = await readStream(gateway, 'hello', { model: 'blocking' });
    expect(textOf(read.frames).startsWith('go to ')).toBe(true);
    expect(read.raw).not.toContain(one.slice(0, 8));
    expect(read.frames.some(({ svc_event }) => svc_event === 'stream_violation')).toBe(true);
    const { events } = (await gateway.get(`/v1/runs/${read.run_id}`)).body;
    const refused = { verdict: 'block', code: 'pii', findings: [{ entity_type: 'EMAIL_ADDRESS', count: 1 }] };
    expect(events.filter(isVerdict)).toMatchObject([{ stage: 'egress', data: refused }]);
  });

  it("finds by the operator's pattern", async () => {
    values.push('B-4711');
    says('ok');
    await gateway.chat('my badge is B-4711', { model: 'own' });
    expect(JSON.parse(sent()).messages[0].content).toBe('my badge is <BADGE_1>');
  });
});

describe('afterwards', () => {
  const found = (haystack: string): string[] => {
    const lower = haystack.toLowerCase();
    return values.filter((value) => lower.includes(value.toLowerCase()));
  };

  it('no value is in events, ledger and metrics', async () => {
    expect(values.length).toBeGreaterThan(8);
    for (const path of ['/v1/audit?limit=10000', '/v1/audit/ledger?limit=10000', '/metrics'])
      expect(found((await gateway.get(path)).text)).toEqual([]);
  });

  it('no value is in any file of the store, or in the output of the process', async () => {
    const { body } = await gateway.get('/v1/audit');
    await gateway.stop();
    const files = readdirSync(gateway.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(gateway.folder, name))
      .filter((path) => statSync(path).isFile() && !path.endsWith('svc.yaml'));
    const bytes = files.map((path) => readFileSync(path).toString('latin1')).join('\n');
    expect(bytes).toContain(body.runs[0].run_id);
    expect(found(bytes)).toEqual([]);
    expect(gateway.output).toContain('"event":"stopped"');
    expect(found(gateway.output)).toEqual([]);
  });
});

function isVerdict({ event_type, data }: JsonObject): boolean {
  return event_type === 'verdict' && Object(data).verdict !== 'allow';
}
