import type { ChatMessage } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { callOptionsOf } from './call-options.ts';

const user = { role: 'user', content: 'hi' };
const optionsOf = (fields: object) => callOptionsOf({ model: 'm', messages: [user], ...fields });
const promptOf = (...messages: ChatMessage[]) => callOptionsOf({ model: 'm', messages }).options.prompt;
const call = (id: string, args: string) => ({ id, type: 'function', function: { name: `f_${id}`, arguments: args } });

describe('parameters', () => {
  test('have their place in the specification', () => {
    const schema = { type: 'object' };
    const { options, unsupported } = optionsOf({
      max_completion_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      seed: 7,
      stop: 'END',
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema, strict: true } },
      stream: true,
      svc_anything: 1,
      user: null,
      n: 1,
    });
    expect(options).toEqual({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 7,
      stopSequences: ['END'],
      reasoning: 'high',
      responseFormat: { type: 'json', name: 'n', description: 'd', schema },
    });
    expect(unsupported).toEqual([]);
  });

  test.each([
    [{ response_format: { type: 'json_object' } }, { responseFormat: { type: 'json' } }],
    [{ response_format: { type: 'text' } }, {}],
    [{ stop: ['a', 'b'] }, { stopSequences: ['a', 'b'] }],
    [{ stop: [] }, {}],
    [{ max_tokens: 3 }, { maxOutputTokens: 3 }],
  ])('%j', (fields, added) => {
    const { options, unsupported } = optionsOf(fields);
    expect(options).toEqual({ prompt: options.prompt, ...added });
    expect(unsupported).toEqual([]);
  });

  test.each<[object, string[]]>([
    [{ n: 2 }, ['n']],
    [{ logprobs: true, top_logprobs: 3 }, ['logprobs', 'top_logprobs']],
    [{ logit_bias: { 5: 1 } }, ['logit_bias']],
    // Some of these APIs store by default, and the specification has no option against it.
    [{ store: false }, ['store']],
    [{ user: 'u' }, ['user']],
    [{ metadata: {} }, ['metadata']],
    [{ temperature: 'hot' }, ['temperature']],
    [{ reasoning_effort: 'extreme' }, ['reasoning_effort']],
    [{ response_format: { type: 'grammar' } }, ['response_format']],
    [{ max_completion_tokens: 9, max_tokens: 8 }, ['max_tokens']],
    [{ tools: [{ type: 'web_search' }] }, ['tools.web_search']],
    [{ tool_choice: 'required' }, ['tool_choice']],
    [{ never_heard_of: 1 }, ['never_heard_of']],
  ])('%j is named as unsupported', (fields, names) => expect(optionsOf(fields).unsupported).toEqual(names));
});

describe('tools', () => {
  const tool = {
    type: 'function',
    function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} }, strict: true },
  };
  const known = { type: 'function', name: 'f', description: 'd', inputSchema: { type: 'object', properties: {} }, strict: true };

  test.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', toolName: 'f' },
    ],
  ])('with the choice %j', (tool_choice, toolChoice) => {
    const { options, unsupported } = optionsOf({ tools: [tool], tool_choice });
    expect(options).toMatchObject({ tools: [known], toolChoice });
    expect(unsupported).toEqual([]);
  });

  test('parallel_tool_calls: false is unsupported', () => {
    expect(optionsOf({ tools: [tool], parallel_tool_calls: false }).unsupported).toEqual(['parallel_tool_calls']);
  });
});

describe('messages', () => {
  test('have their roles, parts, thoughts, calls and results', () => {
    const prompt = promptOf(
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'auto' } },
          { type: 'image_url', image_url: { url: 'https://a.example/x.png' } },
          { type: 'file', file: { filename: 'x.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
          { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
        ],
      },
      { role: 'assistant', content: 'so', reasoning_content: 'hm', tool_calls: [call('1', '{"a":1}'), call('2', '')] },
      { role: 'tool', tool_call_id: '2', content: 'two' },
      { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: 'one' }] },
    );
    expect(prompt).toEqual([
      { role: 'system', content: 'a' },
      { role: 'system', content: 'b' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL('https://a.example/x.png') } },
          { type: 'file', mediaType: 'application/pdf', filename: 'x.pdf', data: { type: 'data', data: 'BBBB' } },
          { type: 'file', mediaType: 'audio/mpeg', data: { type: 'data', data: 'CCCC' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'so' },
          { type: 'tool-call', toolCallId: '1', toolName: 'f_1', input: { a: 1 } },
          { type: 'tool-call', toolCallId: '2', toolName: 'f_2', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '2', toolName: 'f_2', output: { type: 'text', value: 'two' } },
          { type: 'tool-result', toolCallId: '1', toolName: 'f_1', output: { type: 'text', value: 'one' } },
        ],
      },
    ]);
  });

  test.each<object>([
    { role: 'user', content: 'hi', name: 'Ann' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } }] },
  ])('that lose content are named: %j', (message) => {
    expect(optionsOf({ messages: [message] }).unsupported).toEqual(['messages']);
  });

  test.each<[string, ChatMessage[]]>([
    ['nobody says anything', [{ role: 'user', content: '' }]],
    ['a role', [{ role: 'critic', content: 'x' }]],
    [
      'an image in instructions',
      [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://a.example/x' } }] }],
    ],
    ['an image over http', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://a.example/x' } }] }]],
    ['an address that is none', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://' } }] }]],
    ['a stored file', [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }]],
    ['a part', [{ role: 'user', content: [{ type: 'video' }] }]],
    ['a text', [{ role: 'user', content: [{ type: 'text', text: 7 }] }]],
    ['a result without its call', [{ role: 'tool', tool_call_id: '1', content: 'x' }]],
    ['arguments', [{ role: 'assistant', tool_calls: [call('1', '{"a":')] }]],
    ['arguments that are a list', [{ role: 'assistant', tool_calls: [call('1', '[]')] }]],
    ['a custom tool', [{ role: 'assistant', tool_calls: [{ id: '1', type: 'custom' }] }]],
  ])('are refused for %s', (_name, messages) => {
    expect(() => callOptionsOf({ model: 'm', messages })).toThrow(
      expect.objectContaining({ kind: 'unsupported', status: 400, cost: 'none' }),
    );
  });

  test('with too much JSON in arguments are too large', () => {
    const deep = `{"a":${'['.repeat(65)}${']'.repeat(65)}}`;
    expect(() => promptOf({ role: 'assistant', tool_calls: [call('1', deep)] })).toThrow(
      expect.objectContaining({ status: 413 }),
    );
  });
});
