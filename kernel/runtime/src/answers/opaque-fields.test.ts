import type { ChatMessage, ChatRequest } from '@svc/contracts';
import { CHAT } from '@svc/protocols';
import { expect, it } from 'vitest';
import { KeyTree } from '../content/key-tree.ts';
import { OpaqueHandles } from '../content/opaque-handles.ts';
import { rootPattern } from '../texts/field-pattern.ts';
import { concealing, withRevealed } from './opaque-fields.ts';

const handles = new OpaqueHandles({ newest: KeyTree.generate(), older: [], forget: null });
const endpoint = { provider: 'p', model: 'm', region: null };
const route = { name: 'r', egress: [{ mode: 'enforce' }], unscannable: 'pass' };
const AT = rootPattern(CHAT.answer).member('choices').items.member('message');
function conceal() {
  const concealed = concealing({ principal_id: 'alice', route }, endpoint, handles);
  return (message: ChatMessage): ChatMessage => concealed?.all(message, AT) ?? message;
}
const detail = (data: string): ChatMessage => ({ role: 'assistant', content: null, reasoning_details: [{ data }] });
const dataOf = ({ reasoning_details }: ChatMessage): unknown =>
  Array.isArray(reasoning_details) ? reasoning_details[0] : undefined;

function sent(messages: ChatMessage[], name = 'r'): unknown[] {
  const request: ChatRequest = { model: 'r', messages };
  return withRevealed(request, CHAT.request, { principal_id: 'alice', route: { name } }, endpoint, handles).request.messages.map(
    dataOf,
  );
}

it('returns its own values to a model, on the route that they came from', () => {
  const concealed = conceal()(detail('QUJD'));
  expect(JSON.stringify(concealed)).not.toContain('QUJD');
  expect(sent([concealed])).toEqual([{ data: 'QUJD' }]);
  expect(sent([concealed], 'other')).toEqual([{}]);
});

it('does not put a value into any place but its own', () => {
  const [{ data }] = conceal()(detail('QUJD')).reasoning_details as [{ data: string }];
  const request: ChatRequest = {
    model: 'r',
    messages: [{ role: 'assistant', content: '', thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: data }] }],
  };
  const { messages } = withRevealed(
    request,
    CHAT.request,
    { principal_id: 'alice', route: { name: 'r' } },
    endpoint,
    handles,
  ).request;
  expect(messages[0]?.thinking_blocks).toEqual([{ type: 'thinking', thinking: 'x' }]);
});

it('is limited to the first thousand values of an answer and the newest thousand of a request', () => {
  const change = conceal();
  const concealed = Array.from({ length: 1_001 }, () => change(detail('QUJD')));
  expect(dataOf(concealed[1_000] as ChatMessage)).toEqual({});
  const values = sent([...concealed.slice(0, 1_000), conceal()(detail('QUJD'))]);
  expect(values[0]).toEqual({});
  expect(values.slice(1)).toEqual(Array.from({ length: 1_000 }, () => ({ data: 'QUJD' })));
});
