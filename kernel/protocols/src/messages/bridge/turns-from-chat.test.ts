import type { ChatMessage } from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { Lost } from '../../common/lost.ts';
import { isKnownName } from '../../names/known-path.ts';
import { turnsFromChat } from './turns-from-chat.ts';

function converted(messages: readonly unknown[]) {
  const lost = new Lost(isKnownName);
  return { ...turnsFromChat(messages as ChatMessage[], lost), lost: lost.paths };
}

const text = (said: string) => ({ type: 'text', text: said });
const user = (content: unknown) => ({ role: 'user', content });
const call = (written: string, more: object = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: written }, ...more }],
});
const refused = expect.objectContaining({ name: 'ProviderError', kind: 'unsupported', status: 400 });

test('instructions are collected in their order, turns of one role are joined, and blank texts are left out', () => {
  const messages = [
    { role: 'system', content: 'A' },
    user('one'),
    { role: 'developer', content: [text('B'), text('C')] },
    user([text('two'), text(''), text(' \n\t')]),
    { role: 'assistant', content: ' \n', refusal: ' ' },
    user('three'),
    { role: 'assistant', content: 'four' },
    { role: 'assistant', content: [text('five'), { type: 'refusal', refusal: 'six' }], refusal: 'seven' },
  ];
  expect(converted(messages)).toEqual({
    system: [text('A'), text('B'), text('C')],
    messages: [
      { role: 'user', content: [text('one'), text('two'), text('three')] },
      { role: 'assistant', content: [text('four'), text('five'), text('six'), text('seven')] },
    ],
    lost: [],
  });
});

test('in a round of tools, calls are blocks of the assistant, and results with their images are blocks of the user', () => {
  const image = { type: 'image_url', image_url: { url: 'https://x.example/a' } };
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
    { role: 'tool', tool_call_id: 'call_2', content: [text('a'), image] },
    { role: 'tool', tool_call_id: 'call_3', content: ' ' },
    user('thanks'),
  ];
  expect(converted(messages).messages.slice(1)).toEqual([
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

test('valid call ids stay; each invalid id becomes a unique valid one, the same for call and result', () => {
  const sent = (ids: readonly string[]) => {
    const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }));
    const results = ids.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'x' }));
    const [said, answered] = converted([{ role: 'assistant', content: null, tool_calls: calls }, ...results]).messages;
    return { calls: said?.content.map(({ id }) => id), results: answered?.content.map(({ tool_use_id }) => tool_use_id) };
  };
  const taken = ['call_1', 'toolu_01-A'];
  expect(sent(taken)).toEqual({ calls: taken, results: taken });
  const ids = ['a.b', 'a_b', 'a:b', 'functions.f:0', 'é', '', '\ud800', '\ud801', 'call_1\n', 'a_2e_b', 'a_.b'];
  const { calls = [], results } = sent(ids);
  expect(calls.filter((id) => !/^[a-zA-Z0-9_-]+$/.test(String(id)))).toEqual([]);
  expect(new Set(calls).size).toBe(ids.length);
  expect(results).toEqual(calls);
});

test('arguments keep all digits', () => {
  const written = '{"id":12345678901234567890,"amount":1.10,"rate":1e-7,"deep":[-0,{"n":1e400}]}';
  expect(JSON.stringify(converted([call(written)]).messages[0]?.content[0]?.input)).toBe(written);
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
      'a text that ends what is cached',
      { ...text('a'), cache_control: { type: 'ephemeral' } },
      { ...text('a'), cache_control: { type: 'ephemeral' } },
    ],
    [
      'a PDF',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
    ],
  ])('%s', (_name, part, block) => {
    expect(converted([user([text('see'), part])])).toEqual({
      system: [],
      messages: [{ role: 'user', content: [text('see'), block] }],
      lost: [],
    });
  });
});

test.each<[string, object, string]>([
  ['a name', { role: 'user', name: 'ann', content: 'x' }, 'messages.name'],
  ['what the model thought', { role: 'assistant', content: 'x', reasoning_content: 'hm' }, 'messages.reasoning_content'],
  [
    'thinking that nobody signed',
    { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: 'hm' }] },
    'messages.thinking_blocks',
  ],
  ['calls of a vendor', { role: 'assistant', content: 'x', vendor_calls: [{}] }, 'messages.vendor_calls'],
  [
    "an image's detail",
    user([{ type: 'image_url', image_url: { url: 'https://x.example/a', detail: 'high' } }]),
    'messages.content.image_url.detail',
  ],
  ['a field of a part', user([{ ...text('x'), my_note: 'y' }]), 'messages.content.other'],
  ['a field of a call', call('{}', { extra_content: { google: {} } }), 'messages.tool_calls.extra_content'],
])('names the lost content: %s', (_name, message, path) =>
  expect(converted([message])).toMatchObject({ lost: [path], messages: [{}] }),
);

test('names nothing if nothing is lost', () => {
  expect(converted([{ role: 'assistant', content: 'x', refusal: null, annotations: [], audio: null }]).lost).toEqual([]);
});

describe('content that the API does not support is refused, not dropped:', () => {
  test.each<[string, object]>([
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
    ['a function call of old', { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
    ['a custom tool call', call('{}', { type: 'custom' })],
    ['arguments that are not JSON', call('{"a":')],
    ['arguments that are no object', call('[1]')],
    ['a result of no call', { role: 'tool', content: 'x' }],
  ])('%s', (_name, message) => expect(() => converted([message])).toThrow(refused));

  test.each<[string, object[]]>([
    ['no message', []],
    ['instructions alone', [{ role: 'system', content: 'Be brief.' }]],
    ['blank texts alone', [user(' '), { role: 'assistant', content: '\n' }]],
  ])('a conversation of %s', (_name, messages) => expect(() => converted(messages)).toThrow(refused));
});

test('thinking is returned unchanged, before text and calls', () => {
  const signed = { type: 'thinking', thinking: 'hm', signature: 'QUJD' };
  const redacted = { type: 'redacted_thinking', data: 'REVG' };
  const message = { ...call('{}'), content: 'I pay.', reasoning_content: 'hm', thinking_blocks: [signed, redacted] };
  expect(converted([user('pay'), message])).toMatchObject({
    messages: [{}, { role: 'assistant', content: [signed, redacted, text('I pay.'), { type: 'tool_use' }] }],
    lost: [],
  });
});
