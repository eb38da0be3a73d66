import { JSON_LIMITS, JsonCounter } from '@svc/contracts';
import { expect, it } from 'vitest';
import { AssembledMessage } from './assembled-message.ts';

it('joins texts in their order', () => {
  const message = new AssembledMessage();
  message.take({ content: 'one ' });
  message.take({ content: 'two', reasoning_content: 'because' });
  expect(message.message()).toEqual({ role: 'assistant', content: 'one two', reasoning_content: 'because' });
});

it('joins tool calls by index, in the order of the indexes, with the first name and id', () => {
  const message = new AssembledMessage();
  message.take({ tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'second', arguments: '' } }] });
  message.take({ tool_calls: [{ index: 0, id: 'a', function: { name: 'first' } }] });
  message.take({ tool_calls: [{ index: 1, id: 'b', function: { name: 'second', arguments: '{"x":' } }] });
  message.take({ tool_calls: [{ index: 1, function: { arguments: '1}' } }] });
  expect(message.message()).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'first', arguments: '' } },
      { id: 'b', type: 'function', function: { name: 'second', arguments: '{"x":1}' } },
    ],
  });
});

it('joins custom calls, the old function_call, audio and annotations', () => {
  const message = new AssembledMessage();
  message.take({ tool_calls: [{ index: 0, id: 'c', custom: { name: 'sql', input: 'sel' } } as never] });
  message.take({ tool_calls: [{ index: 0, custom: { input: 'ect' } } as never] });
  message.take({ function_call: { name: 'mail', arguments: '{' }, audio: { id: 'au', data: 'QU', transcript: 'hel' } });
  message.take({ function_call: { arguments: '}' }, audio: { data: 'JD', transcript: 'lo' }, annotations: [{ type: 'url' }] });
  expect(message.message()).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'sql', input: 'select' } }],
    function_call: { name: 'mail', arguments: '{}' },
    audio: { id: 'au', data: 'QUJD', transcript: 'hello' },
    annotations: [{ type: 'url' }],
  });
});

it('treats __proto__ in a piece as an ordinary name', () => {
  const message = new AssembledMessage();
  message.take({ function_call: JSON.parse('{"name":"x","__proto__":{"polluted":true}}') });
  expect(Object.keys(message.message().function_call as object)).toEqual(['name', '__proto__']);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

it.each([
  ['annotations', (i: number) => ({ annotations: [{ type: `t${i}` }] })],
  ['tool calls', (i: number) => ({ tool_calls: [{ index: i, id: 'c' }] })],
  ['fields of one call', (i: number) => ({ tool_calls: [{ index: 0, function: { [`f${i}`]: 1 } } as never] })],
  ['fields of audio', (i: number) => ({ audio: { [`f${i}`]: [1] } })],
])('keeps no more %s than an answer may contain, in all choices together', (_what, delta) => {
  const counter = new JsonCounter({ ...JSON_LIMITS, values: 100 });
  const messages = [new AssembledMessage(counter), new AssembledMessage(counter)];
  const takeMany = () => {
    for (let i = 0; i < 101; i += 1) messages[i % 2]?.take(delta(i));
  };
  expect(takeMany).toThrow(expect.objectContaining({ kind: 'malformed' }));
});

it('counts texts and arguments once, even if they grow in small pieces', () => {
  const message = new AssembledMessage(new JsonCounter({ ...JSON_LIMITS, values: 10 }));
  for (let i = 0; i < 1_000; i += 1) message.take({ content: 'a', tool_calls: [{ index: 0, function: { arguments: '1' } }] });
  expect(message.message().tool_calls?.[0]?.function?.arguments).toHaveLength(1_000);
});
