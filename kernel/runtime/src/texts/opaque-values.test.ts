import { CHAT } from '@svc/protocols';
import { expect, it } from 'vitest';
import { rootPattern } from './field-pattern.ts';
import { type Conceal, concealed as concealedAt, type Reveal, revealed as revealedAt } from './opaque-values.ts';

const AT = rootPattern(CHAT.answer).member('choices').items.member('message');
const concealed = <T>(message: T, by: Conceal): T => concealedAt(message, AT, by);
const revealed = <T>(message: T, by: Reveal): T => revealedAt(message, AT, by);

const kept = new Map<string, string>();
const conceal = (fields: string): string => {
  const handle = `svc_opaque_${kept.size}`;
  kept.set(handle, fields);
  return handle;
};
const reveal = (handle: string): string | null => kept.get(handle) ?? null;

const google = { thought_signature: 'QUJD', more: 'more' };
const MESSAGE = {
  role: 'assistant',
  content: 'x',
  thinking_blocks: [
    { type: 'thinking', thinking: 'Hm.', signature: 'QUJD' },
    { type: 'redacted_thinking', data: 'REVG' },
  ],
  reasoning_details: [{ type: 'reasoning.text', text: 'So.', signature: 'QUJD' }, 'no detail'],
  tool_calls: [{ id: 'c', extra_content: { google } }, { id: 'd' }],
};

it('a concealed value is revealed unchanged, whatever happened to the texts next to it', () => {
  const before = structuredClone(MESSAGE);
  const hidden = concealed(MESSAGE, conceal);
  expect(MESSAGE).toEqual(before);
  expect(JSON.stringify(hidden)).not.toMatch(/QUJD|REVG/);
  expect(hidden).toMatchObject({ thinking_blocks: [{ thinking: 'Hm.' }, {}], reasoning_details: [{ text: 'So.' }, 'no detail'] });
  for (const block of hidden.thinking_blocks) if (block.thinking !== undefined) block.thinking = 'edited';
  expect(revealed(hidden, reveal)).toEqual(MESSAGE);
});

it('text in the place of an opaque value stays text', () => {
  const message = { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'my card number' }] };
  expect(concealed(message, conceal)).toBe(message);
});

it('an invalid value in the form of a handle is left out', () => {
  const message = { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'svc_opaque_x' }] };
  expect(revealed(message, reveal)).toEqual({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm.' }] });
});

it('a message without opaque values is unchanged', () => {
  const message = { role: 'user', content: 'x', tool_calls: null };
  expect([concealed(message, conceal), revealed(message, reveal)]).toEqual([message, message]);
  expect(concealed(message, conceal)).toBe(message);
});
