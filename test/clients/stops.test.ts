import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const halt = { type: 'rules', rules: [{ name: 'halted', words: ['stop here'], verdict: 'block' }] };
  const route = (stops: string) => ({
    provider: 'local',
    model: 'echo-1',
    pipeline: { ingress: ['policy'], egress: ['halt'] },
    stops,
  });
  const routes = Object.fromEntries(['text', 'refusal', 'error'].map((stops) => [stops, route(stops)]));
  gateway = await TestGateway.start({ here: true, config: echoConfig({ packs: { halt }, routes }) });
});
afterAll(() => gateway.dispose());

const PAUSED = 'a wire transfer';
const HALTED = 'one two three, please stop here now';
/** What is read of each. */
const SAYS: Record<string, RegExp> = {
  [PAUSED]: /^This request is waiting for approval: guard "policy" \(wire\)\..*\/approvals#run=/,
  [HALTED]: /^echo: one two .*\n\nThe gateway stopped this answer here: guard "halt" \(halted\)\./s,
};
/** How clients that retry by themselves are counted: each request is a run. */
async function runsOf(model: string, act: () => Promise<unknown>): Promise<number> {
  const count = async () => (await gateway.get(`/v1/audit?route=${model}&limit=10000`)).body.runs.length;
  const before = await count();
  await act();
  return (await count()) - before;
}

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice') });
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key('alice'), authToken: null });
const say = (content: string) => [{ role: 'user' as const, content }];
const settings = () => ({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice') });

/** The AI SDK would print what the test expects. */
const onError = (): void => undefined;

/** The text that each client has of an answer, streamed. */
const STREAMED: Record<string, (model: string, content: string) => Promise<string>> = {
  'openai, chat': async (model, content) => {
    const stream = openai().chat.completions.stream({ model, messages: say(content) });
    return String((await stream.finalChatCompletion()).choices[0]?.message.content);
  },
  'openai, responses': async (model, input) => (await openai().responses.stream({ model, input }).finalResponse()).output_text,
  '@anthropic-ai/sdk': (model, content) =>
    anthropic()
      .messages.stream({ model, max_tokens: 64, messages: say(content) })
      .finalText(),
  '@ai-sdk/openai, responses': async (model, prompt) =>
    streamText({ model: createOpenAI(settings())(model), prompt, onError }).text,
  '@ai-sdk/openai, chat': async (model, prompt) =>
    streamText({ model: createOpenAI(settings()).chat(model), prompt, onError }).text,
  '@ai-sdk/anthropic': async (model, prompt) => streamText({ model: createAnthropic(settings())(model), prompt, onError }).text,
};

describe.each(Object.entries(STREAMED))('%s', (_name, read) => {
  it.each([PAUSED, HALTED])('shows why "%s" was stopped, and asks once', async (content) => {
    let text = '';
    const runs = await runsOf('text', async () => {
      text = await read('text', content);
    });
    expect(text).toMatch(SAYS[content] ?? /^$/);
    expect(runs).toBe(1);
  });

  it('does not retry after an error, before the stream and within it', async () => {
    for (const content of [PAUSED, HALTED]) {
      const runs = await runsOf('error', async () => {
        await read('error', content).catch(() => undefined);
      });
      expect(runs).toBe(1);
    }
  });
});

describe('a whole answer', () => {
  it('of chat is content, a refusal or an error', async () => {
    const ask = (model: string) => openai().chat.completions.create({ model, messages: say(PAUSED) });
    expect((await ask('text')).choices[0]?.message.content).toMatch(SAYS[PAUSED] ?? /^$/);
    expect((await ask('refusal')).choices[0]?.message).toMatchObject({
      content: null,
      refusal: expect.stringContaining('"policy"'),
    });
    await expect(ask('error')).rejects.toMatchObject({ status: 400, code: 'SVC-RUN-009' });
  });

  it('of Responses is a text, a refusal or an error', async () => {
    const ask = (model: string) => openai().responses.create({ model, input: PAUSED });
    expect((await ask('text')).output_text).toMatch(SAYS[PAUSED] ?? /^$/);
    const refused = await ask('refusal');
    expect([refused.status, refused.output_text]).toEqual(['completed', '']);
    expect(refused.output).toMatchObject([{ content: [{ type: 'refusal', refusal: expect.stringContaining('"policy"') }] }]);
    await expect(ask('error')).rejects.toMatchObject({ status: 400, code: 'SVC-RUN-009' });
  });

  it('of Messages is a text, a refusal or an error', async () => {
    const ask = (model: string) => anthropic().messages.create({ model, max_tokens: 64, messages: say(PAUSED) });
    expect(await ask('text')).toMatchObject({ stop_reason: 'end_turn', stop_details: null, content: [{ type: 'text' }] });
    const { content, stop_reason, stop_details } = await ask('refusal');
    expect(stop_reason).toBe('refusal');
    expect(content).toMatchObject([{ type: 'text', text: stop_details?.explanation }]);
    await expect(ask('error')).rejects.toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } });
  });

  it('of the AI SDK is a text', async () => {
    for (const model of [createOpenAI(settings())('text'), createAnthropic(settings())('text')])
      expect((await generateText({ model, prompt: PAUSED })).text).toMatch(SAYS[PAUSED] ?? /^$/);
  });
});

it('structured output is parsed as null, and the refusal states why', async () => {
  const format = { type: 'json_schema' as const, name: 'n', strict: true, schema: { type: 'object' } };
  const parsed = await openai().responses.parse({ model: 'text', input: PAUSED, text: { format } });
  expect(parsed.output_parsed).toBeNull();
  expect(parsed.output).toMatchObject([{ content: [{ type: 'refusal', refusal: expect.stringContaining('"policy"') }] }]);
});
