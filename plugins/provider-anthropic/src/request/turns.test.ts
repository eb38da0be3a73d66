import type { ChatMessage } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { conversationOf } from './turns.ts';

const text = (said: string) => ({ type: 'text', text: said });
const user = (content: unknown) => ({ role: 'user', content }) as ChatMessage;
const call = (written: string, more: object = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: written }, ...more }],
});
const refused = expect.objectContaining({ name: 'ProviderError', kind: 'unsupported', status: 400 });

test('instructions are gathered in their order, turns of one role joined, blank texts left out', () => {
  const messages = [
    { role: 'system', content: 'A' },
    { role: 'user', content: 'one' },
    { role: 'developer', content: [text('B'), text('C')] },
    { role: 'user', content: [text('two'), text(''), text(' \n\t')] },
    { role: 'assistant', content: ' \n', refusal: ' ' },
    { role: 'user', content: 'three' },
    { role: 'assistant', content: 'four' },
    { role: 'assistant', content: [text('five'), { type: 'refusal', refusal: 'six' }], refusal: 'seven' },
  ];
  expect(conversationOf(messages)).toEqual({
    system: [text('A'), text('B'), text('C')],
    messages: [
      { role: 'user', content: [text('one'), text('two'), text('three')] },
      { role: 'assistant', content: [text('four'), text('five'), text('six'), text('seven')] },
    ],
    hintsLost: false,
  });
});

test('a round of tools: calls are blocks of the assistant, results of the user', () => {
  const messages = [
    user('pay'),
    {
      role: 'assistant',
      content: 'I pay.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"to":"Ann","n":[1]}' } },
        { id: 'call_2', type: 'function', function: { name: 'g', arguments: '' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'paid' },
    {
      role: 'tool',
      tool_call_id: 'call_2',
      content: [text('a'), { type: 'image_url', image_url: { url: 'https://x.example/a' } }],
    },
    { role: 'tool', tool_call_id: 'call_3', content: ' ' },
    user('thanks'),
  ];
  expect(conversationOf(messages).messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        text('I pay.'),
        { type: 'tool_use', id: 'call_1', name: 'f', input: { to: 'Ann', n: [1] } },
        { type: 'tool_use', id: 'call_2', name: 'g', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: [text('paid')] },
        {
          type: 'tool_result',
          tool_use_id: 'call_2',
          content: [text('a'), { type: 'image', source: { type: 'url', url: 'https://x.example/a' } }],
        },
        { type: 'tool_result', tool_use_id: 'call_3' },
        text('thanks'),
      ],
    },
  ]);
});

describe('ids of tool calls', () => {
  const VALID = /^[a-zA-Z0-9_-]+$/;
  /** The ids of the calls and those of their results, as they are sent. */
  const sent = (ids: readonly string[]) => {
    const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }));
    const results = ids.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'x' }));
    const [said, answered] = conversationOf([{ role: 'assistant', content: null, tool_calls: calls }, ...results]).messages;
    return { calls: said?.content.map(({ id }) => id), results: answered?.content.map(({ tool_use_id }) => tool_use_id) };
  };

  test('that the API takes stay', () => {
    const ids = ['call_1', 'toolu_01-A'];
    expect(sent(ids)).toEqual({ calls: ids, results: ids });
  });

  test('that it does not become others, each its own, the same for call and result and in every turn', () => {
    const ids = ['a.b', 'a_b', 'a:b', 'functions.f:0', 'é', '', '\ud800', '\ud801', 'call_1\n'];
    const { calls = [], results } = sent(ids);
    expect(calls.filter((id) => !VALID.test(String(id)))).toEqual([]);
    expect(new Set(calls).size).toBe(ids.length);
    expect(results).toEqual(calls);
    expect(sent(['x', ...ids]).calls?.slice(1)).toEqual(calls);
  });
});

test('arguments keep every digit', () => {
  const written = '{"id":12345678901234567890,"amount":1.10,"rate":1e-7,"deep":[-0,{"n":1e400}]}';
  const [turn] = conversationOf([call(written)]).messages;
  expect(JSON.stringify(turn?.content[0]?.input)).toBe(written);
});

describe('parts', () => {
  test.each<[string, object, object]>([
    [
      'an image as data',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'auto' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      'an image as a link',
      { type: 'image_url', image_url: 'https://x.example/a.png' },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      'an image as a link without TLS, which the API judges',
      { type: 'image_url', image_url: 'http://x.example/a.png' },
      { type: 'image', source: { type: 'url', url: 'http://x.example/a.png' } },
    ],
    [
      'a text that ends what is cached',
      { ...text('long'), cache_control: { type: 'ephemeral', ttl: '1h' } },
      { ...text('long'), cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
    [
      'a PDF',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
    ],
  ])('%s', (_name, part, block) => {
    const { messages, hintsLost } = conversationOf([user([text('see'), part])]);
    expect(messages).toEqual([{ role: 'user', content: [text('see'), block] }]);
    expect(hintsLost).toBe(false);
  });
});

describe('hints that do not go along are told of', () => {
  test.each<[string, ChatMessage]>([
    ['a name', { role: 'user', name: 'ann', content: 'x' }],
    ['what the model thought', { role: 'assistant', content: 'x', reasoning_content: 'hm' }],
    ['thinking that nobody signed', { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: 'hm' }] }],
    ['what is no thinking', { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'text', text: 'hm' }, 7] }],
    ["an image's detail", user([{ type: 'image_url', image_url: { url: 'https://x.example/a', detail: 'high' } }])],
    ['a field of a part', user([{ ...text('x'), note: 'y' }])],
  ])('%s', (_name, message) => expect(conversationOf([message])).toMatchObject({ hintsLost: true, messages: [{}] }));

  test('nothing is not told of', () => {
    const message = { role: 'assistant', content: 'x', refusal: null, annotations: [], audio: null };
    expect(conversationOf([message]).hintsLost).toBe(false);
  });
});

describe('what the API cannot be told is refused, not dropped:', () => {
  test.each<[string, ChatMessage]>([
    ['sound', user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])],
    ['a stored file', user([{ type: 'file', file: { file_id: 'file-1' } }])],
    ['a file of another kind', user([{ type: 'file', file: { file_data: 'data:text/csv;base64,AAAA' } }])],
    ['an image of another kind', user([{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }])],
    ['an image in a file', user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }])],
    ['an image without a URL', user([{ type: 'image_url' }])],
    ['a part of no type', user([{ text: 'x' }])],
    ['a part that is a text', user(['x'])],
    ['content that is a number', user(7)],
    ['an image as instructions', { ...user([{ type: 'image_url', image_url: 'https://x.example/a' }]), role: 'system' }],
    ['an unknown role', { role: 'critic', content: 'x' }],
    ['a function result of old', { role: 'function', name: 'f', content: 'x' }],
    ['a function call of old', { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
    ['a custom tool call', call('{}', { type: 'custom' })],
    ['arguments that are not JSON', call('{"a":')],
    ['arguments that are no object', call('[1]')],
    ['a result of no call', { role: 'tool', content: 'x' }],
  ])('%s', (_name, message) => expect(() => conversationOf([message])).toThrow(refused));

  test.each<[string, ChatMessage[]]>([
    ['no message', []],
    ['instructions alone', [{ role: 'system', content: 'Be brief.' }]],
    ['blank texts alone', [user(' '), { role: 'assistant', content: '\n' }]],
  ])('a conversation of %s', (_name, messages) => expect(() => conversationOf(messages)).toThrow(refused));
});

describe('thinking', () => {
  const signed = { type: 'thinking', thinking: 'hm', signature: 'QUJD' };
  const redacted = { type: 'redacted_thinking', data: 'REVG' };

  test('goes back as it came, before what was said and called', () => {
    const message = { ...call('{}'), content: 'I pay.', reasoning_content: 'hm', thinking_blocks: [signed, redacted] };
    expect(conversationOf([user('pay'), message as ChatMessage])).toMatchObject({
      messages: [{}, { role: 'assistant', content: [signed, redacted, text('I pay.'), { type: 'tool_use' }] }],
      hintsLost: false,
    });
  });

  test('that lost its signature stays here, and what is signed goes', () => {
    const message = { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: 'a' }, signed] };
    expect(conversationOf([message]).messages).toEqual([{ role: 'assistant', content: [signed, text('x')] }]);
  });
});

test('calls and results may end what is cached', () => {
  const cache_control = { type: 'ephemeral' };
  const calling = { role: 'assistant', content: null, tool_calls: [{ ...call('{}').tool_calls[0], cache_control }] };
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'x', cache_control };
  expect(conversationOf([calling, result] as ChatMessage[])).toMatchObject({
    messages: [{ content: [{ type: 'tool_use', cache_control }] }, { content: [{ type: 'tool_result', cache_control }] }],
    hintsLost: false,
  });
});

test('in the words of the Messages API, instructions after a turn stay where they are', () => {
  const system = (content: string) => ({ role: 'system', content });
  expect(conversationOf([system('A'), user('one'), system('B'), user('two')], true)).toMatchObject({
    system: [text('A')],
    messages: [
      { role: 'user', content: [text('one')] },
      { role: 'system', content: [text('B')] },
      { role: 'user', content: [text('two')] },
    ],
  });
});
