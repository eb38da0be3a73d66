import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChatCompletion, type ChatRequest, JSON_LIMITS, type JsonValue } from '../contracts/index.ts';
import { collectCompletion, collectRequest, TooMuchJson } from './collect.ts';
import { isKnownField } from './fields.ts';
import { knownAnswer } from './known-answer.ts';
import type { Payload } from './payload.ts';

/** Any text that no structural field may hold, so that every occurrence must be seen or listed. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((s) => `${s} !`);
const anyKey = fc.oneof(fc.constantFrom('type', 'role', 'id', 'name', 'content', 'arguments', 'url', 'model'), text);
const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const toolCall = fc.record({
  id: text,
  type: text,
  function: fc.record({
    name: text,
    arguments: fc.oneof(
      text,
      anyJson.map((value) => JSON.stringify(value)),
    ),
  }),
});
const part = fc.oneof(
  fc.record({ type: text, text }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({
      url: fc.oneof(
        text,
        text.map((t) => `data:image/png,${t}`),
        fc.constant('data:image/png;base64,AAAA'),
      ),
      detail: text,
    }),
  }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: fc.oneof(text, fc.constant('QUJD')), format: text }),
  }),
  fc.record({ type: fc.constant('file'), file: fc.record({ file_data: fc.oneof(text, fc.constant('QUJD')), filename: text }) }),
  anyJson,
);
const message = fc.record(
  {
    role: text,
    content: fc.oneof(text, fc.array(part, { maxLength: 3 })),
    name: text,
    tool_calls: fc.array(toolCall, { maxLength: 2 }),
    extra: anyJson,
  },
  { requiredKeys: ['role'] },
);
const request = fc.record(
  {
    model: fc.constant('m'),
    messages: fc.array(message, { minLength: 1, maxLength: 3 }),
    tools: anyJson,
    metadata: anyJson,
    stop: anyJson,
    response_format: anyJson,
  },
  { requiredKeys: ['model', 'messages'] },
);

/** Every string, and every key that is no field of the format: found by another road than the code under test. */
function leavesOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    const decoded = key === 'arguments' ? tryParse(value) : undefined;
    return decoded === undefined ? [value] : leavesOf(decoded);
  }
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter((k) => !isKnownField(k));
  return [...keys, ...Object.entries(value).flatMap(([k, member]) => leavesOf(member, k))];
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function seen(payload: Payload): string[] {
  return payload.leaves.map((leaf) => leaf.text);
}

describe('no leaf is neither looked at nor listed', () => {
  it('holds for requests', () => {
    fc.assert(
      fc.property(request, (generated) => {
        const subject = structuredClone(generated) as unknown as ChatRequest;
        const all = leavesOf(generated).filter((leaf) => leaf !== 'm' && !['image_url', 'input_audio', 'file'].includes(leaf));
        const payload = collectRequest(subject);
        const looked = new Set(seen(payload));
        const unseen = all.filter((leaf) => !looked.has(leaf));
        // What was not looked at must be the bytes of as many listed parts.
        expect(unseen.length).toBeLessThanOrEqual(payload.skipped.length);
      }),
      { numRuns: 500 },
    );
  });

  it('holds for answers, of which unknown fields are left out', () => {
    const answer = fc.record({
      id: text,
      object: text,
      created: fc.integer(),
      model: text,
      extra: anyJson,
      choices: fc.array(fc.record({ index: fc.nat(), message, finish_reason: text, logprobs: anyJson }), {
        minLength: 1,
        maxLength: 2,
      }),
    });
    fc.assert(
      fc.property(answer, (generated) => {
        const subject = knownAnswer(structuredClone(generated) as unknown as ChatCompletion);
        const all = leavesOf(subject).filter((leaf) => !['image_url', 'input_audio', 'file'].includes(leaf));
        const payload = collectCompletion(subject);
        const looked = new Set(seen(payload));
        expect(all.filter((leaf) => !looked.has(leaf)).length).toBeLessThanOrEqual(payload.skipped.length);
      }),
    );
  });

  it('a masked leaf is gone from the payload, whatever held it', () => {
    fc.assert(
      fc.property(request, (generated) => {
        const subject = structuredClone(generated) as unknown as ChatRequest;
        const payload = collectRequest(subject);
        const segments = payload.segments(payload.leaves);
        const edits = segments.map(({ index, text }) => ({ segment: index, start: 0, end: text.length, replacement: 'masked' }));
        payload.apply(edits, payload.leaves, segments);
        const left = leavesOf(subject).filter((leaf) => leaf.endsWith(' !'));
        expect(left.length).toBeLessThanOrEqual(payload.skipped.length);
      }),
    );
  });
});

describe('structural fields', () => {
  it('are passed over when they look like identifiers, and read when they do not', () => {
    const request = {
      model: 'm',
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'my card 4111', content: '' },
      ],
    };
    expect(seen(collectRequest(request))).toEqual(['hello', 'my card 4111', '']);
  });

  it('a JSON schema shows its descriptions, not its types', () => {
    const parameters = { type: 'object', properties: { type: { type: 'string', description: 'kind' } } };
    const request = {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    };
    expect(collectRequest(request).leaves.map(({ text, kind }) => [text, kind])).toEqual([
      ['x', 'text'],
      ['f', 'name'],
      ['kind', 'text'],
    ]);
  });
});

describe('tool-call arguments', () => {
  const call = (args: string): ChatRequest => ({
    model: 'm',
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: args } }],
      },
    ],
  });
  const argumentsOf = (request: ChatRequest) => request.messages[0]?.tool_calls?.[0]?.function?.arguments;

  it('are looked at by leaf, keys and numbers too, and keep a number as it was written', () => {
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
    expect(argumentsOf(request)).toBe('{"card":4111111111111111111,"to":{"name":"Bob"},"ok":true}');
  });

  it('an edited number becomes a string', () => {
    const request = call('{"card":4111}');
    const payload = collectRequest(request);
    const segments = payload.segments(payload.leaves);
    const index = segments.findIndex((segment) => segment.text === '4111');
    payload.apply([{ segment: index, start: 0, end: 4, replacement: '<CARD>' }], payload.leaves, segments);
    expect(argumentsOf(request)).toBe('{"card":"<CARD>"}');
  });

  it('a value hidden behind a repeated key does not get through', () => {
    const request = call('{"a":"secret","a":"ok"}');
    collectRequest(request);
    expect(argumentsOf(request)).toBe('{"a":"ok"}');
  });

  it('hide nothing in escapes where they are torn', () => {
    const request = call('{"to":"\\u0041CC-1 \\\\u0041 \\u0022');
    expect(collectRequest(request).leaves.map((leaf) => leaf.text)).toContain('{"to":"ACC-1 \\\\u0041 \\u0022');
    expect(argumentsOf(request)).toBe('{"to":"ACC-1 \\\\u0041 \\u0022');
  });

  it.each([65, 2000, 100_000])('of %i levels are refused, never passed as text', (levels) => {
    expect(() => collectRequest(call('['.repeat(levels) + ']'.repeat(levels)))).toThrow(TooMuchJson);
    expect(() => collectRequest(call(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`))).toThrow(TooMuchJson);
  });

  it('brackets in strings are no levels', () => {
    const text = `{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}`;
    expect(collectRequest(call(text)).leaves.map((leaf) => leaf.kind)).toEqual(['name', 'key', 'argument']);
  });

  it('numbers are no leaves where nobody reads them, and are written as they were', () => {
    const request = call('{"a": [1.50, -0, 1e400, "x"], "b": 2}');
    expect(collectRequest(request, false).leaves.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'name pay',
      'key a',
      'argument x',
      'key b',
    ]);
    expect(argumentsOf(request)).toBe('{"a":[1.50,-0,1e400,"x"],"b":2}');
  });

  it('a node that reads no numbers is shown none, though its neighbour is', () => {
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
    expect(collectRequest(request(half), false).leaves).toHaveLength(1);
    expect(() => collectRequest(request(half, half), false)).toThrow(TooMuchJson);
    expect(() => collectRequest({ ...request(half), x: Array.from({ length: half }, () => 0) }, false)).toThrow(TooMuchJson);
  });

  it('of too many keys are refused; text that is no JSON may hold as many commas as it likes', () => {
    const keys = Array.from({ length: JSON_LIMITS.keys + 1 }, (_, i) => `"k${i}":1`).join();
    expect(() => collectRequest(call(`{${keys}}`))).toThrow(expect.objectContaining({ excess: 'too_many_keys' }));
    expect(collectRequest(call('a,'.repeat(JSON_LIMITS.values + 1))).leaves).toHaveLength(2);
  });

  it('count as one text where they are no JSON', () => {
    expect(collectRequest(call('{"card": 41')).leaves.map((leaf) => leaf.text)).toContain('{"card": 41');
  });
});

describe('scope new', () => {
  const payloadOf = (...roles: string[]) =>
    collectRequest({ model: 'm', messages: roles.map((role, i) => ({ role, content: `m${i}` })), user: 'u' });
  const texts = (payload: Payload) => payload.inScope('new', true).map((leaf) => leaf.text);

  it('leaves out what stands up to the last assistant message', () => {
    const payload = payloadOf('system', 'user', 'assistant', 'tool', 'user');
    expect(texts(payload)).toEqual(['m3', 'm4', 'u']);
    expect(payload.segments(payload.inScope('new', true)).map(({ index, role }) => [index, role])).toEqual([
      [0, 'tool'],
      [1, 'user'],
      [2, null],
    ]);
  });

  it('an assistant message at the end hides nothing', () => {
    expect(texts(payloadOf('user', 'assistant'))).toEqual(['m0', 'm1', 'u']);
    expect(texts(payloadOf('user', 'assistant', 'user', 'assistant', 'assistant'))).toEqual(['m2', 'm3', 'm4', 'u']);
  });
});

describe('keys and opaque fields', () => {
  const seenIn = (more: object): string[] =>
    seen(collectRequest({ model: 'm', messages: [{ role: 'user', content: '' }], ...more }));

  it('a key that a caller chose is text, and can be edited in its place', () => {
    const metadata = { 'card 4111': { id: 'x y' }, name: 'n' };
    const request = { model: 'm', messages: [{ role: 'user', content: 'c' }], metadata };
    const payload = collectRequest(request);
    const segments = payload.segments(payload.leaves);
    const key = segments.findIndex(({ kind }) => kind === 'key');
    expect(segments[key]).toMatchObject({ text: 'card 4111', path: 'metadata.0' });
    payload.apply([{ segment: key, start: 5, end: 9, replacement: '<N>' }], payload.leaves, segments);
    expect(JSON.stringify(metadata)).toBe('{"card <N>":{"id":"x y"},"name":"n"}');
    const again = payload.segments(payload.leaves);
    const inside = again.findIndex(({ text }) => text === 'x y');
    payload.apply([{ segment: inside, start: 0, end: 3, replacement: 'z' }], payload.leaves, again);
    expect(JSON.stringify(metadata)).toBe('{"card <N>":{"id":"z"},"name":"n"}');
  });

  it('what looks like an image, audio or a file is text outside of messages, and wherever it has another form', () => {
    expect(
      seenIn({ metadata: { file: { file_id: 'secret' }, audio: { data: 'QUJD' }, image_url: 'data:image/png;base64,AAAA' } }),
    ).toEqual(['', 'secret', 'QUJD', 'data:image/png;base64,AAAA']);
    const parts = [
      { type: 'image_url', image_url: { url: 'data:text/plain,my password' } },
      { type: 'file', file: { file_data: 'my password', file_id: 'my password' } },
    ];
    expect(seenIn({ messages: [{ role: 'user', content: parts }] })).toEqual([
      'data:text/plain,my password',
      'my password',
      'my password',
    ]);
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
  payload.apply(edits, payload.leaves, segments);
  expect(call.function.arguments.startsWith('["x0","x1"')).toBe(true);
});
