import { type ChatRequest, JSON_LIMITS, type ToolCall } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { NoRoomForJson, TooMuchJson } from './collect.ts';
import { applyEdits, collectRequest, requestWith, seen, textIn } from './test-parts.ts';

describe('tool-call arguments', () => {
  const call = (args: string): ChatRequest => ({
    model: 'm',
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'pay', arguments: args } } as ToolCall],
      },
    ],
  });
  const argumentsOf = (request: ChatRequest) => request.messages[0]?.tool_calls?.[0]?.function?.arguments;

  it('are checked by leaf, including keys and numbers, and numbers stay as written', () => {
    const request = call('{ "card": 4111111111111111111, "to": {"name": "Bob"}, "ok": true }');
    expect(
      collectRequest(request).leaves.map(
        ({ kind, text, path }) => `${kind} ${text} ${path.slice('messages.0.tool_calls.0.function.'.length)}`,
      ),
    ).toEqual([
      'name pay name',
      'key card arguments.0',
      'argument 4111111111111111111 arguments.0',
      'key to arguments.1',
      'key name arguments.1.0',
      'argument Bob arguments.1.0',
      'key ok arguments.2',
    ]);
    expect(argumentsOf(request)).toBe('{ "card": 4111111111111111111, "to": {"name": "Bob"}, "ok": true }');
  });

  it('an edited number becomes a string', () => {
    const request = call('{"card":4111}');
    const payload = collectRequest(request);
    const segments = payload.segments(payload.leaves);
    const index = segments.findIndex((segment) => segment.text === '4111');
    applyEdits(payload, [{ segment: index, start: 0, end: 4, replacement: '<CARD>' }], segments);
    expect(argumentsOf(request)).toBe('{"card":"<CARD>"}');
  });

  it('a value of a repeated key is also checked', () => {
    const request = call('{"a":"secret","a":"ok"}');
    expect(collectRequest(request).leaves.map(({ text }) => text)).toEqual(expect.arrayContaining(['secret', 'ok']));
    expect(argumentsOf(request)).toBe('{"a":"secret","a":"ok"}');
  });

  it('hide nothing in escapes if they are broken', () => {
    const request = call('{"to":"\\u0041CC-1 \\\\u0041 \\u0022');
    expect(collectRequest(request).leaves.map((leaf) => leaf.text)).toContain('{"to":"ACC-1 \\\\u0041 \\u0022');
    expect(argumentsOf(request)).toBe('{"to":"\\u0041CC-1 \\\\u0041 \\u0022');
  });

  it.each([65, 2000, 100_000])('of %i levels are refused, never passed as text', (levels) => {
    expect(() => collectRequest(call('['.repeat(levels) + ']'.repeat(levels)))).toThrow(TooMuchJson);
    expect(() => collectRequest(call(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`))).toThrow(TooMuchJson);
  });

  it('brackets in strings are not levels', () => {
    const text = `{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}`;
    expect(collectRequest(call(text)).leaves.map((leaf) => leaf.kind)).toEqual(['name', 'key', 'argument']);
  });

  it('numbers that no guard reads are not leaves, and stay as written', () => {
    const request = call('{"a": [1.50, -0, 1e400, "x"], "b": 2}');
    expect(collectRequest(request, false).leaves.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'name pay',
      'key a',
      'argument x',
      'key b',
    ]);
    expect(argumentsOf(request)).toBe('{"a": [1.50, -0, 1e400, "x"], "b": 2}');
  });

  it('an integer shows its digits, however it is written', () => {
    const request = call('[4.111111111111111e15, 4111111111111111.0, 1.5, 1e400]');
    expect(
      collectRequest(request)
        .leaves.map(({ text }) => text)
        .slice(1),
    ).toEqual(['4111111111111111', '4111111111111111', '1.5', '1e400']);
    expect(argumentsOf(request)).toBe('[4.111111111111111e15, 4111111111111111.0, 1.5, 1e400]');
  });

  it('a node that reads no numbers sees none, even if another node does', () => {
    const payload = collectRequest(call('[1,"x"]'), true);
    expect(payload.inScope('all', true).map(({ text }) => text)).toEqual(['pay', '1', 'x']);
    expect(payload.inScope('all', false).map(({ text }) => text)).toEqual(['pay', 'x']);
  });

  it('of several calls count together, and with the rest of the request', () => {
    const list = (length: number) => `[${Array.from({ length }, () => '1').join()}]`;
    const request = (...lengths: number[]) => {
      const calls = lengths.map((length) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: list(length) } }));
      return { model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: calls }] };
    };
    const half = JSON_LIMITS.values / 2;
    expect(collectRequest(request(half), false).leaves).toHaveLength(2);
    expect(() => collectRequest(request(half, half), false)).toThrow(TooMuchJson);
    expect(() => collectRequest({ ...request(half), x: Array.from({ length: half }, () => 0) }, false)).toThrow(TooMuchJson);
  });

  it('with too many keys are refused; text that is not JSON may contain any number of commas', () => {
    const keys = Array.from({ length: JSON_LIMITS.keys + 1 }, (_, i) => `"k${i}":1`).join();
    expect(() => collectRequest(call(`{${keys}}`))).toThrow(expect.objectContaining({ excess: 'too_many_keys' }));
    expect(collectRequest(call('a,'.repeat(JSON_LIMITS.values + 1))).leaves).toHaveLength(2);
  });

  it('count as one text if they are not JSON', () => {
    expect(collectRequest(call('{"card": 41')).leaves.map((leaf) => leaf.text)).toContain('{"card": 41');
  });
});

it('many edits in one tool call are written once', () => {
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'f', arguments: JSON.stringify(Array.from({ length: 90_000 }, (_, i) => `s${i}`)) },
  };
  const payload = collectRequest({ model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [call] }] });
  const segments = payload.segments(payload.leaves);
  const edits = segments
    .filter(({ kind }) => kind === 'argument')
    .map(({ index }) => ({ segment: index, start: 0, end: 1, replacement: 'x' }));
  applyEdits(payload, edits, segments);
  expect(call.function.arguments.startsWith('["x0","x1"')).toBe(true);
});

describe('JSON in the texts of tools', () => {
  const leavesIn = (request: ChatRequest, numbers = true) =>
    collectRequest(request, numbers).leaves.map(({ kind, text: own, path }) => `${kind} ${own} ${path}`);

  it('is checked by leaf, with escapes decoded, including repeated keys', () => {
    expect(leavesIn(requestWith('tool', '{"name": "M\\u00fcller", "n": 4111, "name": ["x"]}'))).toEqual([
      'id c messages.0.tool_call_id',
      'key name messages.0.content.0',
      'argument Müller messages.0.content.0',
      'key n messages.0.content.1',
      'argument 4111 messages.0.content.1',
      'key name messages.0.content.2',
      'argument x messages.0.content.2.0',
    ]);
  });

  it('is checked in parts, even if it is a single string or number', () => {
    const parts = ['{"a":"\\u00fc"}', '"\\u00e4"', '4111', 'no {json}'].map((own) => ({ type: 'text', text: own }));
    const request = { model: 'm', messages: [{ role: 'tool', content: parts }] };
    expect(leavesIn(request, false)).toEqual([
      'key a messages.0.content.0.text.0',
      'argument ü messages.0.content.0.text.0',
      'text ä messages.0.content.1.text',
      'text 4111 messages.0.content.2.text',
      'text no {json} messages.0.content.3.text',
    ]);
    const payload = collectRequest(request);
    const segments = payload.segments(payload.leaves);
    const at = segments.findIndex(({ text: own }) => own === '4111');
    applyEdits(payload, [{ segment: at, start: 0, end: 4, replacement: '<N>' }], segments);
    expect(parts.map(({ text: own }) => own)).toEqual(['{"a":"\\u00fc"}', '"\\u00e4"', '"<N>"', 'no {json}']);
  });

  it.each([
    ['4.111e3', '4111', '"<N>"'],
    [' 4111.0\n', '4111', '"<N>"'],
    [
      '{"a": NaN, "b": [Infinity, -Infinity], "c": "4\\u0031\\n11"}',
      '41\n11',
      '{"a": NaN, "b": [Infinity, -Infinity], "c": "<N>"}',
    ],
    ['{"a": "M\\u00fc"}\n{"a": "\\n4111"}\r\n\n[1]\n', '\n4111', '{"a": "M\\u00fc"}\n{"a": "<N>"}\r\n\n[1]\n'],
    ['Found: {"a": "M\\u00fc 4\\u00311"', 'Found: {"a": "Mü 411"', '<N>'],
    ['\ufeff{"a": "\\u0034111"}', '\ufeff{"a": "4111"}', '<N>'],
    [JSON.stringify({ log: 'Found "M\\u00fc"' }), 'Found "Mü"', '{"log":"<N>"}'],
  ])(
    'is shown with numbers and escapes read, as Python, loggers and people write it, and keeps its bytes: %s',
    (json, own, masked) => {
      for (const where of ['tool', 'input', 'vendor'] as const) {
        const subject = requestWith(where, json);
        const payload = collectRequest(subject);
        expect(textIn(subject, where)).toBe(json);
        const segments = payload.segments(payload.leaves);
        const at = segments.findIndex(({ text: shown }) => shown === own);
        applyEdits(payload, [{ segment: at, start: 0, end: own.length, replacement: '<N>' }], segments);
        expect(textIn(subject, where)).toBe(masked);
      }
    },
  );

  it('written by people and models is checked as plain text', () => {
    const messages = ['user', 'assistant', 'system'].map((role) => ({ role, content: '{"a":"\\u00fc"}' }));
    expect(seen(collectRequest({ model: 'm', messages }))).toEqual(messages.map(({ content }) => content));
  });

  it.each(['tool', 'input', 'vendor'] as const)('has the limits of JSON, which plain text does not have (%s)', (where) => {
    const many = Array.from({ length: JSON_LIMITS.values }, () => '1').join();
    expect(() => collectRequest(requestWith(where, `[${many}]`))).toThrow(expect.objectContaining({ excess: 'too_many_values' }));
    const keys = Array.from({ length: JSON_LIMITS.keys + 1 }, (_, i) => `"k${i}":1`).join();
    expect(() => collectRequest(requestWith(where, `{${keys}}`))).toThrow(expect.objectContaining({ excess: 'too_many_keys' }));
    const [deep, torn] = ['['.repeat(65) + ']'.repeat(65), '['.repeat(1_000)];
    expect(() => collectRequest(requestWith(where, deep))).toThrow(expect.objectContaining({ excess: 'nested_too_deep' }));
    expect(() => collectRequest(requestWith(where, JSON.stringify({ a: deep })))).toThrow(TooMuchJson);
    expect(seen(collectRequest(requestWith(where, torn)))).toContain(torn);
    expect(seen(collectRequest(requestWith(where, `[INFO] ${many}`)))).toContain(`[INFO] ${many}`);
    const quoted = Array.from({ length: JSON_LIMITS.values * 0.7 }, (_, i) => `"${i}",`);
    expect(seen(collectRequest(requestWith(where, JSON.stringify(quoted))))).toEqual(expect.arrayContaining(quoted.slice(-1)));
  });

  it('is not parsed if there is no room', () => {
    expect(() => collectRequest(requestWith('tool', '[1,2,3]'), true, undefined, () => false)).toThrow(NoRoomForJson);
  });

  it('many edits of JSON in JSON are written once', () => {
    const inner = Array.from({ length: 20_000 }, (_, i) => JSON.stringify([`s${i}`]));
    const subject = requestWith('tool', JSON.stringify(inner));
    const payload = collectRequest(subject);
    const segments = payload.segments(payload.leaves);
    const edits = segments.map(({ index }) => ({ segment: index, start: 0, end: 1, replacement: 'x' }));
    applyEdits(payload, edits, segments);
    expect(textIn(subject, 'tool').startsWith('["[\\"x0\\"]","[\\"x1\\"]"')).toBe(true);
  });
});
