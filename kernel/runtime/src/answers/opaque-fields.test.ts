import type { ChatMessage, ChatRequest, Protocol, RequestBody } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { describe, expect, it } from 'vitest';
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

it('puts a value only into its own place', () => {
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

function outgoing({ request }: Protocol, body: RequestBody): RequestBody {
  return withRevealed(body, request, { principal_id: 'alice', route: { name: 'r' } }, endpoint, handles).request;
}

describe('a request that is sent to a model', () => {
  it.each([CHAT, MESSAGES, RESPONSES].map((protocol) => [protocol.id, protocol] as const))('has no marks (%s)', (_, protocol) => {
    const turns = [
      { role: 'user', content: 'a', svc_origin: 'retrieved' },
      { role: 'user', content: [{ type: 'text', text: 'b', svc_origin: ['anything'] }, { type: 'text', text: 'c' }, 'd'] },
      'e',
    ];
    const body = protocol.withTurns({ model: 'm' }, turns);
    const before = structuredClone(body);
    expect(protocol.turnsOf(outgoing(protocol, body))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b' }, { type: 'text', text: 'c' }, 'd'] },
      'e',
    ]);
    expect(body).toEqual(before);
    const plain = protocol.withTurns({ model: 'm' }, [{ role: 'user', content: [{ type: 'text', text: 'c' }] }]);
    expect(outgoing(protocol, plain)).toBe(plain);
  });
});
