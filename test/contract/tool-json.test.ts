import type { JsonObject } from '@svc/contracts';
import { responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, frames as framesOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { choicesOf, readStream } from '../harness/stream-reader.ts';
import { chunk } from '../harness/stream-scene.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        upstream: { type: 'openai', base_url: upstream.url, region: 'eu' },
        vendor: { type: 'openai', api: 'responses', base_url: upstream.url, region: 'eu' },
      },
      packs: { pii: {}, people: { type: 'rules', rules: [{ name: 'name', words: ['Müller'], verdict: 'block' }] } },
      routes: {
        default: { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['pii'], egress: ['pii'] } },
        vendor: { provider: 'vendor', model: 'm-1', pipeline: { egress: ['pii'] } },
        people: { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['people'] } },
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** The content of the tool's message as it reached the model. */
async function given(content: unknown): Promise<unknown> {
  upstream.respond(answer({ ...completionOf({ model: 'm-1' }, 'ok') }));
  const call = { id: 'c', type: 'function', function: { name: 'find', arguments: '{}' } };
  await gateway.post('/v1/chat/completions', {
    model: 'default',
    messages: [
      { role: 'user', content: 'who?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content },
    ],
  });
  return (JSON.parse(upstream.requests.at(-1)?.text ?? '{}') as { messages: JsonObject[] }).messages[2]?.content;
}

it("a tool's JSON with escapes is masked, still parses, and is otherwise unchanged", async () => {
  const written =
    '{"drink": "caf\\u00e9", "mail":"j\\u006freg@example.org",\n "big": 12345678901234567890, "a": 1.50, "a": null}';
  expect(await given(written)).toBe(written.replace('j\\u006freg@example.org', '<EMAIL_ADDRESS_1>'));
  const nested = JSON.stringify({ result: JSON.stringify({ mail: 'joerg@example.org' }) });
  expect(await given(nested)).toBe(nested.replace('joerg@example.org', '<EMAIL_ADDRESS_1>'));
  expect(await given([{ type: 'text', text: '["j\\u006freg@example.org"]' }])).toEqual([
    { type: 'text', text: '["<EMAIL_ADDRESS_1>"]' },
  ]);
});

it("a tool's JSON without findings keeps its bytes", async () => {
  const written = ' { "drink" : "caf\\u00e9" , "list":[1,\t2.0e3]}\n';
  expect(await given(written)).toBe(written);
});

it('a word in escapes is found', async () => {
  const messages = [{ role: 'tool', tool_call_id: 'c', content: '{"name": "M\\u00fcller"}' }];
  const { body } = await gateway.post('/v1/chat/completions', { model: 'people', messages });
  expect(body.choices[0].finish_reason).toBe('content_filter');
});

it('the input of a custom tool is masked, streamed and whole', async () => {
  const input = '{"to": "j\\u006freg@example.org", "n": [1.50]}';
  const call = { id: 'c', type: 'custom', custom: { name: 'mail', input } };
  const whole = completionOf({ model: 'm-1' }, '') as unknown as { choices: JsonObject[] };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  const choices = [{ ...whole.choices[0], message, finish_reason: 'tool_calls' }];
  const pieces = [...input].map((piece) => chunk({ tool_calls: [{ index: 0, custom: { input: piece } }] }));
  const begun = chunk({ tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'mail', input: '' } }] });
  upstream.respond(
    answer({ ...whole, choices } as never),
    framesOf([begun, ...pieces, chunk({}, { finish_reason: 'tool_calls' })]),
  );
  const masked = { ...call, custom: { name: 'mail', input: '{"to": "<EMAIL_ADDRESS_1>", "n": [1.50]}' } };
  const { body } = await gateway.chat('write', { model: 'default' });
  expect(body.choices[0].message.tool_calls).toEqual([masked]);
  const { frames } = await readStream(gateway, 'write', { model: 'default' });
  expect(choicesOf(frames).flatMap(({ delta }) => delta.tool_calls ?? [])).toEqual([{ ...masked, index: 0 }]);
});

describe.each([false, true])("the call of a vendor's tool (streamed: %s)", (stream) => {
  const written = (mail: string) => ({
    id: 'mcp_1',
    type: 'mcp_call',
    name: 'send',
    arguments: `{"to": "${mail}", "n": [1.50]}`,
    output: `["${mail}"]`,
    results: [{ attributes: { note: `{"by":"${mail}"}` } }],
  });

  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'write' }] }],
    ['/v1/responses', { input: 'write' }],
  ])('is masked, and still parses: %s', async (path, asked) => {
    const item = written('j\\u006freg@example.org');
    upstream.respond(responses.answer({ output: [item, responses.messageItem('Sent.')] }));
    const { text } = await gateway.post(path, { model: 'vendor', stream, ...asked });
    expect(text).not.toMatch(/u006f|joreg/);
    const masked = written('<EMAIL_ADDRESS_1>');
    for (const value of [masked.arguments, masked.output, masked.results[0]?.attributes.note])
      expect(text).toContain(JSON.stringify(value));
  });
});
