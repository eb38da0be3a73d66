import Anthropic from '@anthropic-ai/sdk';
import { type Content, type Part, Type } from '@google/genai';
import { anthropic, gemini } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { answer, frames } from '../fixtures/upstream.ts';
import { GeminiScene, MAIL } from './gemini-scene.ts';

const SIGNATURE = Buffer.from('what a model thought').toString('base64');

const scene = new GeminiScene();
const { upstreamOf, lastOf, client } = scene;

const ROUTES = [
  ['chat', 'chat'],
  ['messages', 'messages'],
  ['gemini', 'team/gemini'],
] as const;

describe.each(ROUTES)('against a %s upstream', (_name, model) => {
  it('answers whole', async () => {
    const response = await client().models.generateContent({ model, contents: 'Say hello.' });
    expect(response.text).toBe('upstream: Say hello.');
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
    expect(response.modelVersion).toBe(model);
    expect(response.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
  });

  it('answers as a stream', async () => {
    const stream = await client().models.generateContentStream({ model, contents: 'Say hello to everybody.' });
    let text = '';
    let finish: string | undefined;
    for await (const chunk of stream) {
      text += chunk.text ?? '';
      finish = chunk.candidates?.[0]?.finishReason ?? finish;
    }
    expect([text, finish]).toEqual(['upstream: Say hello to everybody.', 'STOP']);
  });

  it('counts tokens', async () => {
    const { totalTokens } = await client().models.countTokens({ model, contents: 'How many are these?' });
    expect(totalTokens).toBeGreaterThan(3);
  });
});

describe('tools, with thinking and its signature', () => {
  const tools = [
    {
      functionDeclarations: [
        {
          name: 'mail',
          description: 'Writes.',
          parameters: { type: Type.OBJECT, properties: { to: { type: Type.STRING } } },
        },
      ],
    },
  ];
  const call = { to: MAIL, n: 1 };

  const calling: Record<string, (form: string) => void> = {
    chat: (form) => {
      const tool_call = {
        id: 'c1',
        type: 'function',
        function: { name: 'mail', arguments: JSON.stringify(call) },
        extra_content: { google: { thought_signature: SIGNATURE } },
      };
      const thought = { role: 'assistant', content: null, reasoning_content: 'I write.' };
      const head = { id: 'x', created: 1, model: 'm-1' };
      const chunk = (delta: object, finish_reason: string | null = null) => ({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
      });
      const message = { ...thought, tool_calls: [tool_call] };
      const whole = {
        ...head,
        object: 'chat.completion' as const,
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      };
      const streamed = [chunk(thought), chunk({ tool_calls: [{ ...tool_call, index: 0 }] }), chunk({}, 'tool_calls')];
      upstreamOf('chat').respond(form === 'whole' ? answer(whole) : frames(streamed), answer());
    },
    messages: () => {
      const content = [
        { type: 'thinking', thinking: 'I write.', signature: SIGNATURE },
        { type: 'tool_use', id: 'toolu_1', name: 'mail', input: call },
      ];
      upstreamOf('messages').respond(anthropic.answer({ content, stop_reason: 'tool_use' }), anthropic.answer());
    },
    gemini: () => {
      const parts = [
        { text: 'I write.', thought: true },
        { functionCall: { name: 'mail', args: call }, thoughtSignature: SIGNATURE },
      ];
      upstreamOf('gemini').respond(gemini.answer(parts), gemini.answer());
    },
  };

  /** What of the thinking came back to the vendor. */
  const returned: Record<string, () => unknown> = {
    chat: () => lastOf('chat').messages[1].tool_calls[0].extra_content.google.thought_signature,
    messages: () => lastOf('messages').messages[1].content[0],
    gemini: () => lastOf('gemini').contents[1].parts.at(-1).thoughtSignature,
  };
  const expected: Record<string, unknown> = {
    chat: SIGNATURE,
    messages: { type: 'thinking', thinking: 'I write.', signature: SIGNATURE },
    gemini: SIGNATURE,
  };

  it.each(
    ROUTES.flatMap(([name, route]) => [
      [name, route, 'whole'],
      [name, route, 'streamed'],
      [name, `${name}-pii`, 'whole'],
      [name, `${name}-pii`, 'streamed'],
    ]),
  )('%s over the route %s, %s', async (name, model, form) => {
    calling[name]?.(form);
    const contents: Content[] = [{ role: 'user', parts: [{ text: `Write to ${MAIL}.` }] }];
    const config = { tools, thinkingConfig: { includeThoughts: true } };
    const parts: Part[] = [];
    if (form === 'whole') {
      const response = await client().models.generateContent({ model, contents, config });
      parts.push(...(response.candidates?.[0]?.content?.parts ?? []));
    } else {
      const stream = await client().models.generateContentStream({ model, contents, config });
      for await (const chunk of stream) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    }
    const called = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
    const isMasked = model.endsWith('-pii');
    expect(called).toMatchObject({ name: 'mail', args: { ...call, to: isMasked ? '<EMAIL_ADDRESS_1>' : MAIL } });
    expect(
      parts
        .filter(({ thought }) => thought)
        .map(({ text }) => text)
        .join(''),
    ).toBe('I write.');
    const result = { ...(called?.id !== undefined && { id: called.id }), name: 'mail', response: { output: 'sent' } };
    const turns: Content[] = [...contents, { role: 'model', parts }, { role: 'user', parts: [{ functionResponse: result }] }];
    await client().models.generateContent({ model, contents: turns, config });
    expect(returned[name]?.()).toEqual(expected[name]);
  });
});

describe('clients of other protocols over a Gemini upstream', () => {
  const thinks = () =>
    gemini.answer([
      { text: 'I write.', thought: true },
      { functionCall: { name: 'mail', args: { n: 1 } }, thoughtSignature: SIGNATURE },
    ]);
  const returned = () => lastOf('gemini').contents.find(({ role }: Content) => role === 'model').parts;
  const signed = (id: string) => [
    { text: 'I write.', thought: true },
    { functionCall: { id, name: 'mail', args: { n: 1 } }, thoughtSignature: SIGNATURE },
  ];

  it.each(['whole', 'streamed'])(
    'the Messages API: thinking is returned with the call that it was signed with, %s',
    async (form) => {
      upstreamOf('gemini').respond(thinks(), gemini.answer());
      const anthropicClient = new Anthropic({ baseURL: scene.gateway.url, apiKey: scene.gateway.key('alice'), maxRetries: 0 });
      const tools: Anthropic.Tool[] = [{ name: 'mail', input_schema: { type: 'object' } }];
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Write.' }];
      const asked = { model: 'team/gemini', max_tokens: 99, tools, messages };
      const { content } = await (form === 'whole'
        ? anthropicClient.messages.create(asked)
        : anthropicClient.messages.stream(asked).finalMessage());
      expect(content).toMatchObject([
        { type: 'thinking', thinking: 'I write.' },
        { type: 'tool_use', input: { n: 1 } },
      ]);
      const used = content.find((block) => block.type === 'tool_use');
      messages.push({ role: 'assistant', content });
      messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: used?.id ?? '', content: 'sent' }] });
      await anthropicClient.messages.create(asked);
      expect(returned()).toEqual(signed(used?.id ?? ''));
    },
  );

  it('the chat format, with the fields that Google itself adds', async () => {
    upstreamOf('gemini').respond(thinks(), gemini.answer());
    const openai = new OpenAI({ baseURL: `${scene.gateway.url}/v1`, apiKey: scene.gateway.key('alice'), maxRetries: 0 });
    const tools = [{ type: 'function' as const, function: { name: 'mail', parameters: { type: 'object' } } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Write.' }];
    const { choices } = await openai.chat.completions.create({ model: 'team/gemini', messages, tools });
    const [choice] = choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({ extra_content: { google: { thought_signature: SIGNATURE } } });
    if (choice !== undefined) messages.push(choice.message);
    messages.push({ role: 'tool', tool_call_id: call?.id ?? '', content: 'sent' });
    await openai.chat.completions.create({ model: 'team/gemini', messages, tools });
    expect(returned()).toEqual(signed(call?.id ?? ''));
  });
});

describe('structured output', () => {
  it.each(ROUTES)('%s', async (name, model) => {
    const json = '{"name":"Ann"}';
    upstreamOf('chat').respond(...(name === 'chat' ? [answer(json)] : []));
    upstreamOf('messages').respond(
      ...(name === 'messages' ? [anthropic.answer({ content: [{ type: 'text', text: json }] })] : []),
    );
    upstreamOf('gemini').respond(...(name === 'gemini' ? [gemini.answer([{ text: json }])] : []));
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const response = await client().models.generateContent({
      model,
      contents: 'Who?',
      config: { responseMimeType: 'application/json', responseJsonSchema: schema },
    });
    expect(response.text).toBe(json);
    const asked = {
      chat: () => lastOf('chat').response_format.json_schema.schema,
      messages: () => lastOf('messages').output_config.format.schema,
      gemini: () => lastOf('gemini').generationConfig.responseJsonSchema,
    }[name];
    expect(asked()).toEqual(schema);
  });
});
