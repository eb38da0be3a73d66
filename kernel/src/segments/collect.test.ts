import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatCompletion, ChatRequest, JsonValue } from '../contracts/index.ts';
import { collectCompletion, collectRequest, leavesInScope, type Payload, toSegments } from './collect.ts';
import { applyEdits } from './edits.ts';
import { knownAnswer } from './known-answer.ts';
import { ArgumentsTooDeep } from './tool-arguments.ts';

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
      ),
      detail: text,
    }),
  }),
  fc.record({ type: fc.constant('input_audio'), input_audio: fc.record({ data: text, format: text }) }),
  fc.record({ type: fc.constant('file'), file: fc.record({ file_data: text, filename: text }) }),
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

/** Every string and, inside tool-call arguments, every number and key: found by another road than the code under test. */
function leavesOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    const decoded = key === 'arguments' ? tryParse(value) : undefined;
    return decoded === undefined ? [value] : leavesOf(decoded);
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([k, member]) => leavesOf(member, k));
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
        for (const leaf of payload.leaves) leaf.write('masked');
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
    payload.leaves.find((leaf) => leaf.text === '4111')?.write('<CARD>');
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
    expect(() => collectRequest(call('['.repeat(levels) + ']'.repeat(levels)))).toThrow(ArgumentsTooDeep);
    expect(() => collectRequest(call(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`))).toThrow(ArgumentsTooDeep);
  });

  it('brackets in strings are no levels', () => {
    const text = `{"a":"${'['.repeat(500)}\\"${'{'.repeat(500)}"}`;
    expect(collectRequest(call(text)).leaves.map((leaf) => leaf.kind)).toEqual(['name', 'key', 'argument']);
  });

  it('count as one text where they are no JSON', () => {
    expect(collectRequest(call('{"card": 41')).leaves.map((leaf) => leaf.text)).toContain('{"card": 41');
  });
});

it('scope new leaves out what stands up to the last assistant message', () => {
  const messages = ['system', 'user', 'assistant', 'tool', 'user'].map((role, i) => ({ role, content: `m${i}` }));
  const payload = collectRequest({ model: 'm', messages, user: 'u' });
  expect(leavesInScope(payload, 'new').map((leaf) => leaf.text)).toEqual(['m3', 'm4', 'u']);
  expect(toSegments(payload, leavesInScope(payload, 'new')).map(({ index, role }) => [index, role])).toEqual([
    [0, 'tool'],
    [1, 'user'],
    [2, null],
  ]);
});

it('edits replace spans by offset', () => {
  const segments = toSegments(
    collectRequest({ model: 'm', messages: [{ role: 'user', content: 'call 😀 Bob now' }] }),
    collectRequest({ model: 'm', messages: [{ role: 'user', content: 'call 😀 Bob now' }] }).leaves,
  );
  const edits = [
    { segment: 0, start: 8, end: 11, replacement: '<P>' },
    { segment: 0, start: 0, end: 4, replacement: 'ring' },
  ];
  expect(applyEdits(edits, segments).get(0)).toBe('ring 😀 <P> now');
});
