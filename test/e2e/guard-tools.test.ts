import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@svc/contracts';
import { anthropic, type Behaviour, responses } from '@svc/sdk/testing';
import OpenAI from 'openai';
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

/** The loops of tools of the official clients, unmodified. */
const MAIL = 'ann@example.org';
const SALARY = '4200 a month';
const PARAMETERS = { type: 'object' as const, properties: { of: { type: 'string' } }, required: ['of'] };

let upstream: Upstream;
let gateway: TestGateway;
let answers: Behaviour[] = [];
beforeAll(async () => {
  upstream = await startUpstream((request, response) => (answers.shift() ?? answer('Nothing more.'))(request, response));
  const packs = {
    tools: {
      rules: [
        { name: 'salaries', tools: ['salary'], action: 'withhold' },
        { name: 'mails', tools: ['mail'], action: 'allow' },
      ],
      default: 'deny',
      offered: 'withhold',
    },
  };
  const route = (provider: string): JsonObject => ({
    provider,
    model: 'm-1',
    pipeline: { ingress: ['tools'], egress: ['tools'] },
  });
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        chat: { type: 'openai', base_url: upstream.url },
        items: { type: 'openai', api: 'responses', base_url: upstream.url },
        claude: { type: 'anthropic', base_url: new URL(upstream.url).origin },
      },
      packs,
      routes: { chat: route('chat'), items: route('items'), claude: route('claude') },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});
const asked = (): string => JSON.stringify(upstream.requests.at(-1)?.body);
const openai = () => new OpenAI({ apiKey: gateway.key('alice'), baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const claude = () => new Anthropic({ apiKey: gateway.key('alice'), baseURL: gateway.url, maxRetries: 0 });

describe("OpenAI's client", () => {
  const calling = (name: string): Behaviour => {
    const tool_calls = [{ id: 'call_1', type: 'function' as const, function: { name, arguments: JSON.stringify({ of: MAIL }) } }];
    const message = { role: 'assistant' as const, content: null, tool_calls };
    return answer({ ...completionOf({}, ''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
  };
  const runs: string[] = [];
  const tool = (name: string): RunnableToolFunctionWithParse<{ of: string }> => ({
    type: 'function' as const,
    function: {
      name,
      description: name,
      parameters: PARAMETERS,
      parse: (text: string): { of: string } => JSON.parse(text),
      function: ({ of }: { of: string }) => {
        runs.push(`${name} ${of}`);
        return SALARY;
      },
    },
  });
  const loop = () => ({
    model: 'chat',
    messages: [{ role: 'user' as const, content: 'Go.' }],
    tools: [tool('salary'), tool('mail'), tool('drop')],
  });
  beforeEach(() => {
    runs.length = 0;
  });

  it.each([false, true])('runs a tool whose result is withheld from the model (stream: %s)', async (stream) => {
    answers = [calling('salary'), answer('I may not know.')];
    const { completions } = openai().chat;
    const runner = stream ? completions.runTools({ ...loop(), stream: true }) : completions.runTools(loop());
    expect(await runner.finalContent()).toBe('I may not know.');
    expect(runs).toEqual([`salary ${MAIL}`]);
    expect(asked()).toContain('withheld by policy');
    expect(asked()).not.toContain(SALARY);
    expect(asked()).not.toContain('"drop"');
  });

  it.each([false, true])('does not run a tool that is denied (stream: %s)', async (stream) => {
    const before = upstream.requests.length;
    answers = [calling('drop')];
    const { completions } = openai().chat;
    const runner = stream ? completions.runTools({ ...loop(), stream: true }) : completions.runTools(loop());
    const last = await runner.finalChatCompletion().catch(() => null);
    expect(last?.choices[0]?.finish_reason ?? 'content_filter').toBe('content_filter');
    expect(runs).toEqual([]);
    expect(upstream.requests.length - before).toBe(1);
  });

  it('reads a response with an allowed call, and none of a denied one', async () => {
    const item = (name: string) => ({
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name,
      arguments: JSON.stringify({ of: MAIL }),
      status: 'completed',
    });
    const tools = ['mail', 'drop'].map((name) => ({
      type: 'function' as const,
      name,
      parameters: PARAMETERS,
      strict: false,
    }));
    answers = [responses.answer({ output: [item('mail')] }), responses.answer({ output: [item('drop')] })];
    const create = () => openai().responses.stream({ model: 'items', input: 'Go.', tools }).finalResponse();
    expect((await create()).output).toMatchObject([{ type: 'function_call', name: 'mail' }]);
    expect(JSON.stringify((await create()).output)).not.toContain('function_call');
  });
});

describe("Anthropic's client", () => {
  const calling = (name: string, text = [{ type: 'text', text: 'Sure.' }]): Behaviour =>
    anthropic.answer({
      content: [...text, { type: 'tool_use', id: 'toolu_1', name, input: { of: MAIL } }],
      stop_reason: 'tool_use',
    });
  const tools = ['salary', 'mail', 'drop'].map((name) => ({ name, input_schema: PARAMETERS }));
  const message = (messages: Anthropic.MessageParam[]) =>
    claude().messages.stream({ model: 'claude', max_tokens: 100, messages, tools }).finalMessage();
  const go: Anthropic.MessageParam = { role: 'user', content: 'Go.' };

  it('returns a result that is withheld from the model', async () => {
    answers = [calling('salary'), anthropic.answer()];
    const { content } = await message([go]);
    expect(content).toMatchObject([{ type: 'text' }, { type: 'tool_use', name: 'salary', input: { of: MAIL } }]);
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: SALARY };
    await message([go, { role: 'assistant', content }, { role: 'user', content: [result] }]);
    expect(asked()).toContain('withheld by policy');
    expect(asked()).not.toContain(SALARY);
  });

  it.each([[[]], [undefined]])('gets no denied call, even if it is the first of an answer', async (text) => {
    answers = [calling('drop', text)];
    const { content, stop_reason } = await message([go]);
    expect(content.filter(({ type }) => type === 'tool_use')).toEqual([]);
    expect(JSON.stringify(content)).not.toContain(MAIL);
    expect(stop_reason).not.toBe('tool_use');
  });
});
