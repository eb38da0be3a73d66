import { expect, it } from 'vitest';
import { AssembledMessage } from './assembled-message.ts';

it('joins texts end to end', () => {
  const message = new AssembledMessage();
  message.take({ content: 'one ' });
  message.take({ content: 'two', reasoning_content: 'because' });
  expect(message.message()).toEqual({ role: 'assistant', content: 'one two', reasoning_content: 'because' });
});

it('joins tool calls by their place, in its order, names and ids as first given', () => {
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

it('takes __proto__ in a piece for the name that it is', () => {
  const message = new AssembledMessage();
  message.take({ function_call: JSON.parse('{"name":"x","__proto__":{"polluted":true}}') });
  expect(Object.keys(message.message().function_call as object)).toEqual(['name', '__proto__']);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});
