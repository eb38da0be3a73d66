import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import type { ChatCompletion, ToolCall } from '@svc/contracts';
import { tool as aiTool, generateText, isStepCount, streamText } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OpenAiScene } from '../e2e/openai-scene.ts';
import { answer, completionOf } from '../fixtures/upstream.ts';

let scene: OpenAiScene;
beforeAll(async () => {
  scene = await OpenAiScene.start();
});
afterAll(() => scene.close());

/** A model that calls a tool, then answers. */
beforeEach(() => {
  const call: ToolCall = { id: 'call_1', type: 'function', function: { name: 'transfer', arguments: '{"to":"ACC-7"}' } };
  const message = { role: 'assistant', content: 'I pay.', tool_calls: [call] };
  const calling: ChatCompletion = { ...completionOf({}, ''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
  scene.upstream.respond(answer(calling), answer('Paid.'));
});

/** The second turn as the model got it: masked, with the result behind its call. */
function expectSecondTurn(): void {
  expect(scene.asked.text).not.toMatch(/ACC-\d/);
  expect(scene.asked.body).toMatchObject({
    messages: expect.arrayContaining([
      expect.objectContaining({ role: 'assistant', tool_calls: [expect.objectContaining({ id: 'call_1' })] }),
      expect.objectContaining({ role: 'tool', tool_call_id: 'call_1', content: 'paid <ACCOUNT>' }),
    ]),
  });
}

describe.each([true, false])('@openai/agents (Responses: %s)', (useResponses) => {
  it.each([false, true])('works over several turns (streamed: %s)', async (stream) => {
    const told: string[] = [];
    const transfer = tool({
      name: 'transfer',
      description: 'Moves money.',
      parameters: z.object({ to: z.string() }),
      execute: ({ to }) => {
        told.push(to);
        return 'paid ACC-9';
      },
    });
    const agent = new Agent({ name: 'clerk', instructions: 'Serve ACC-1.', model: 'default', tools: [transfer] });
    const apiKey = scene.gateway.key('alice');
    const modelProvider = new OpenAIProvider({ apiKey, baseURL: `${scene.gateway.url}/v1`, useResponses });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    if (stream) {
      const run = await runner.run(agent, 'pay ACC-3', { stream: true });
      await run.completed;
      expect(run.finalOutput).toBe('Paid.');
    } else {
      expect((await runner.run(agent, 'pay ACC-3')).finalOutput).toBe('Paid.');
    }
    expect(told).toEqual(['<ACCOUNT>']);
    expectSecondTurn();
  });
});

describe.each([true, false])('@langchain/openai (Responses: %s)', (useResponsesApi) => {
  it('calls a tool and returns its result, whole and streamed', async () => {
    const configuration = { baseURL: `${scene.gateway.url}/v1` };
    const apiKey = scene.gateway.key('alice');
    const parameters = { type: 'object', properties: { to: { type: 'string' } } };
    const model = new ChatOpenAI({ model: 'default', apiKey, useResponsesApi, maxRetries: 0, configuration }).bindTools([
      { type: 'function', function: { name: 'transfer', parameters } },
    ]);
    const question = new HumanMessage('pay ACC-3');
    const first = await model.invoke([question]);
    expect(first).toBeInstanceOf(AIMessage);
    expect(first.tool_calls).toMatchObject([{ id: 'call_1', name: 'transfer', args: { to: '<ACCOUNT>' } }]);
    const result = new ToolMessage({ content: 'paid ACC-9', tool_call_id: 'call_1' });
    let text = '';
    for await (const chunk of await model.stream([question, first, result])) text += chunk.text;
    expect(text).toBe('Paid.');
    expectSecondTurn();
  });
});

describe.each([true, false])('an agent of @langchain/langgraph (Responses: %s)', (useResponsesApi) => {
  it.each([false, true])('works over several turns (streamed: %s)', async (stream) => {
    const told: string[] = [];
    const transfer = langchainTool(
      ({ to }) => {
        told.push(to);
        return 'paid ACC-9';
      },
      { name: 'transfer', description: 'Moves money.', schema: z.object({ to: z.string() }) },
    );
    const configuration = { baseURL: `${scene.gateway.url}/v1` };
    const llm = new ChatOpenAI({
      model: 'default',
      apiKey: scene.gateway.key('alice'),
      useResponsesApi,
      maxRetries: 0,
      configuration,
    });
    const agent = createReactAgent({ llm, tools: [transfer], prompt: 'Serve ACC-1.' });
    const asked = { messages: [new HumanMessage('pay ACC-3')] };
    if (stream) {
      let text = '';
      for await (const [chunk, { langgraph_node }] of await agent.stream(asked, { streamMode: 'messages' }))
        if (langgraph_node === 'agent') text += chunk.text;
      expect(text).toBe('I pay.Paid.');
    } else {
      const { messages } = await agent.invoke(asked);
      expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
      expect(messages.at(-1)?.text).toBe('Paid.');
    }
    expect(told).toEqual(['<ACCOUNT>']);
    expectSecondTurn();
  });
});

describe.each(['responses', 'chat'] as const)('ai with @ai-sdk/openai (%s)', (api) => {
  it.each([false, true])('works over several turns (streamed: %s)', async (stream) => {
    const told: string[] = [];
    const transfer = aiTool({
      description: 'Moves money.',
      inputSchema: z.object({ to: z.string() }),
      execute: ({ to }) => {
        told.push(to);
        return 'paid ACC-9';
      },
    });
    const provider = createOpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: scene.gateway.key('alice') });
    const options = {
      model: provider[api]('default'),
      system: 'Serve ACC-1.',
      prompt: 'pay ACC-3',
      tools: { transfer },
      stopWhen: isStepCount(2),
      providerOptions: { openai: { store: false } },
    };
    const { steps } = stream ? streamText(options) : await generateText(options);
    expect((await steps).map(({ text }) => text)).toEqual(['I pay.', 'Paid.']);
    expect(told).toEqual(['<ACCOUNT>']);
    expectSecondTurn();
  });
});

it('@ai-sdk/anthropic calls a tool and returns its result', async () => {
  const model = createAnthropic({ baseURL: `${scene.gateway.url}/v1`, apiKey: scene.gateway.key('alice') })('default');
  const inputSchema = { type: 'object' as const, properties: { to: { type: 'string' as const } } };
  const tools = [{ type: 'function' as const, name: 'transfer', inputSchema }];
  const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'pay ACC-3' }] };
  const { content, finishReason } = await model.doGenerate({ prompt: [question], tools });
  expect(finishReason.unified).toBe('tool-calls');
  expect(content).toMatchObject([
    { type: 'text', text: 'I pay.' },
    { type: 'tool-call', toolCallId: 'call_1', toolName: 'transfer' },
  ]);
  const called = { type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'transfer', input: { to: '<ACCOUNT>' } };
  const output = { type: 'text' as const, value: 'paid ACC-9' };
  const result = { type: 'tool-result' as const, toolCallId: 'call_1', toolName: 'transfer', output };
  const { stream } = await model.doStream({
    prompt: [question, { role: 'assistant', content: [called] }, { role: 'tool', content: [result] }],
    tools,
  });
  let text = '';
  for await (const part of stream) if (part.type === 'text-delta') text += part.delta;
  expect(text).toBe('Paid.');
  expectSecondTurn();
});
