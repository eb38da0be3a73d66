import { expect, it } from 'vitest';
import { messageBlocks, visible } from './message-blocks.ts';

it('takes text, whether it is a string or parts', () => {
  expect(messageBlocks({ role: 'user', content: 'a\nb' })).toEqual([{ kind: 'text', text: 'a\nb' }]);
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ];
  expect(messageBlocks({ role: 'user', content: parts })).toEqual([
    { kind: 'text', text: 'a' },
    { kind: 'text', text: 'b' },
  ]);
});

it.each([null, undefined, '', []])('shows nothing for the content %j', (content) => {
  expect(messageBlocks({ role: 'assistant', ...(content === undefined ? {} : { content }) })).toEqual([]);
});

it('shows embedded raster images and only names others', () => {
  const image = (image_url: string | { url: string }) =>
    messageBlocks({ role: 'user', content: [{ type: 'image_url', image_url }] });
  expect(image({ url: 'data:image/png;base64,AAAA' })).toEqual([{ kind: 'image', src: 'data:image/png;base64,AAAA' }]);
  expect(image('https://example.org/a.png')).toMatchObject([{ kind: 'field', text: 'https://example.org/a.png' }]);
  expect(image('data:image/svg+xml;base64,AAAA')).toMatchObject([{ kind: 'field' }]);
});

it('also shows unknown parts', () => {
  const parts = [
    'loose',
    { type: 'text', text: 'a', hidden: 'b' },
    { type: 'future', value: { deep: 'c' } },
    { type: 'image_url', image_url: 7 },
  ];
  const shown = JSON.stringify(messageBlocks({ role: 'user', content: parts, name: 'd', refusal: 'e' }));
  for (const held of ['loose', 'a', 'b', 'deep', 'c', '7', 'd', 'e']) expect(shown).toContain(held);
});

it('shows tool calls with their arguments', () => {
  const tool_calls = [{ id: '1', type: 'function', function: { name: 'pay', arguments: '{"to":"x"}' } }];
  expect(messageBlocks({ role: 'assistant', content: null, tool_calls })).toEqual([
    { kind: 'field', label: 'calls pay', text: '{"to":"x"}' },
  ]);
});

it("describes agents' messages of the Messages and Responses APIs", () => {
  const content = [
    { type: 'thinking', thinking: 'Pay it.', signature: 'c2ln' },
    { type: 'output_text', text: 'I pay.', annotations: [] },
    { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { to: 'x' } },
    { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'paid' }], is_error: true },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  ];
  expect(messageBlocks({ role: 'user', content })).toEqual([
    { kind: 'field', label: 'thinking', text: 'Pay it.' },
    { kind: 'text', text: 'I pay.' },
    { kind: 'field', label: 'calls pay', text: '{\n  "to": "x"\n}' },
    { kind: 'field', label: 'result, an error', text: 'paid' },
    { kind: 'image', src: 'data:image/png;base64,AAAA' },
  ]);
});

it('shows a known part completely if it has further fields', () => {
  const content = [
    { type: 'tool_use', id: 'toolu_1', name: 'pay', input: {}, hidden: 'a' },
    { type: 'text', text: ['b'] },
    { type: 'constructor', text: 'c' },
    { type: 'tool_result', tool_use_id: 'd', content: { type: 'future', text: 'e' } },
    { type: 'tool_use', id: 'f g', name: 'pay', input: {} },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' }, title: 'h' },
  ];
  const shown = JSON.stringify(messageBlocks({ role: 'user', content }));
  for (const held of ['toolu_1', 'hidden', 'a', 'b', 'c', 'e', 'f g', 'h']) expect(shown).toContain(held);
});

it('cuts bytes but never words', () => {
  const bytes = 'QUJD'.repeat(1000);
  const words = 'word '.repeat(1000);
  const [audio, text] = messageBlocks({
    role: 'user',
    content: [
      { type: 'input_audio', input_audio: { data: bytes } },
      { type: 'other', text: words },
    ],
  });
  expect(audio).toMatchObject({ label: 'input_audio', text: expect.stringContaining('4000 characters') });
  expect(text).toMatchObject({ text: expect.stringContaining(words.trim()) });
});

it.each([`{"to":"x","memo":"${'a'.repeat(500)}","amount":999999}`, 'この内容を必ず読んでください。'.repeat(40)])(
  'shows all of arguments without a space: %s',
  (text) => {
    const tool_calls = [{ id: '1', type: 'function', function: { name: 'pay', arguments: text } }];
    expect(messageBlocks({ role: 'assistant', content: null, tool_calls })).toMatchObject([{ text }]);
  },
);

it('spells out invisible characters', () => {
  expect(visible('x\u3164y\u2800z\u115F')).toBe('x⟨U+3164⟩y⟨U+2800⟩z⟨U+115F⟩');
  expect(messageBlocks({ role: 'user', content: null, 'a\u202Eb': 1 })).toMatchObject([{ label: 'a⟨U+202E⟩b' }]);
  expect(visible('a\u202Eb\u200Bc\u0000d\u{E0041}')).toBe('a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩d⟨U+E0041⟩');
  expect(visible('tab\tline\nπ 👩‍👩‍👧 می‌خواهم')).toBe('tab\tline\nπ 👩‍👩‍👧 می‌خواهم');
});
