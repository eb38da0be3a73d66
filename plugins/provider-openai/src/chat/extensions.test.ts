import type { ChatRequest } from '@svc/sdk';
import { expect, test } from 'vitest';
import { EXTENSIONS, withoutExtensions } from './extensions.ts';

const cache_control = { type: 'ephemeral' };
const text = (said: string) => ({ type: 'text', text: said });
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const tool = { type: 'function', function: { name: 'f' } };
const thinking_blocks = [{ type: 'thinking', thinking: 'hm', signature: 'QUJD' }];
const REQUEST = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ ...text('Be brief.'), cache_control }] },
    { role: 'user', content: [text('a'), { ...text('b'), cache_control }] },
    { role: 'assistant', content: null, thinking_blocks, tool_calls: [{ ...call, cache_control }] },
    { role: 'tool', tool_call_id: 'c', content: 'x', cache_control },
    { role: 'assistant', content: null, thinking_blocks },
  ],
  tools: [tool, { ...tool, cache_control }],
  thinking: { type: 'adaptive' },
  context_management: { edits: [] },
  output_config: { effort: 'max' },
  anthropic_beta: ['b-1'],
  anthropic_version: '2023-06-01',
  temperature: 0.5,
} as unknown as ChatRequest;

test('fields of other servers are dropped at any place, and named', () => {
  const before = structuredClone(REQUEST);
  const { request, unsupported } = withoutExtensions(REQUEST, []);
  expect(REQUEST).toEqual(before);
  expect(request).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
      { role: 'assistant', content: '' },
    ],
    tools: [tool, tool],
    temperature: 0.5,
  });
  expect(unsupported.toSorted()).toEqual([
    'anthropic_beta',
    'context_management',
    'messages.cache_control',
    'messages.thinking_blocks',
    'output_config',
    'thinking',
    'tools.cache_control',
  ]);
});

test('fields of the server stay unchanged', () => {
  const { anthropic_version: _, ...fields } = REQUEST;
  expect(withoutExtensions(REQUEST, EXTENSIONS)).toEqual({ request: fields, unsupported: [] });
  expect(withoutExtensions(REQUEST, ['thinking']).request).toMatchObject({ thinking: { type: 'adaptive' } });
});

test('fields that other vendors need back stay, and harmless fields are not named', () => {
  const google = { thought_signature: 'QUJD' };
  const reasoning_details = [{ type: 'reasoning.encrypted', data: 'QUJD' }];
  const message = { role: 'assistant', content: null, reasoning_details, tool_calls: [{ ...call, extra_content: { google } }] };
  const messages = [message, { role: 'user', content: [text('alone')] }];
  const asked = { model: 'm', messages } as unknown as ChatRequest;
  expect(withoutExtensions({ ...asked, thinking: { type: 'disabled' } }, [])).toEqual({ request: asked, unsupported: [] });
});
