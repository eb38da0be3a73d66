import { type ChatCompletion, type ChatRequest, JSON_LIMITS, type JsonValue, type ToolCall } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectCompletion, collectRequest, NoRoomForJson, TooMuchJson } from './collect.ts';
import { isKnownField } from './fields.ts';
import { plainNumber } from './json-scan.ts';
import { knownAnswer } from './known-answer.ts';
import type { Payload } from './payload.ts';
import { plainText } from './plain-text.ts';

/** Sentences, card numbers and keys: nothing that the format itself says anywhere, so that every occurrence must be seen or listed. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((s) => `${s} !`),
  fc.stringMatching(/^4[0-9]{15}$/),
  fc.stringMatching(/^(sk-|AKIA|call_)[A-Za-z0-9_.:/-]{8,24}$/),
);
/** Longer than any quantity. */
const number = fc.oneof(
  fc.integer({ min: 10_000_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => String(value).length > 7),
);
const anyKey = fc.oneof(fc.constantFrom('type', 'role', 'id', 'name', 'content', 'arguments', 'url', 'model'), text);
const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
/** What stands in a field of few values, and what may be found there instead. */
const scalar = fc.oneof(text, number, anyJson);

/** JSON as Python writes it, as a tool gives it: with its own white space, and with more JSON in its strings. */
const ascii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const jsonText = fc
  .tuple(anyJson, fc.array(fc.constantFrom('in a list', 'under a key', 'as a key', 'in quotes'), { maxLength: 3 }), fc.nat(2))
  .map(([value, wrappings, indent]) => {
    let json = ascii(JSON.stringify(value, null, indent));
    for (const wrapping of wrappings) {
      if (wrapping === 'in a list') json = JSON.stringify([json, 1.5], null, indent);
      else if (wrapping === 'under a key') json = JSON.stringify({ result: json, text: 'x !' });
      else if (wrapping === 'as a key') json = JSON.stringify({ [json]: null });
      else json = JSON.stringify(json);
    }
    return json;
  });

const toolCall = fc.record({
  id: text,
  type: text,
  extra_content: fc.oneof(anyJson, fc.record({ google: fc.record({ thought_signature: text, extra: anyJson }) })),
  custom: fc.record({ name: text, input: fc.oneof(text, jsonText) }),
  function: fc.record({
    name: text,
    arguments: fc.oneof(
      text,
      anyJson.map((value) => JSON.stringify(value)),
      jsonText,
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
  fc.record({
    type: fc.constant('file'),
    file: fc.record({ file_data: fc.oneof(text, fc.constant('QUJD')), filename: text, file_id: text }),
  }),
  anyJson,
);
/** What its vendor alone can read, a handle of ours, or text in its place. */
const opaque = fc.oneof(text, fc.constantFrom('QUJD', 'c2ln+/==', 'svc_opaque_QUJD'));
const thinkingBlock = fc.record(
  {
    type: fc.oneof(text, fc.constantFrom('thinking', 'redacted_thinking')),
    thinking: text,
    signature: opaque,
    data: opaque,
    extra: anyJson,
  },
  { requiredKeys: ['type'] },
);
const reasoningDetail = fc.record(
  { type: text, text, summary: text, signature: opaque, data: opaque, id: text, format: text, index: number, extra: anyJson },
  { requiredKeys: ['type'] },
);
const message = fc.record(
  {
    role: text,
    content: fc.oneof(text, fc.array(part, { maxLength: 3 })),
    name: text,
    tool_call_id: text,
    tool_calls: fc.array(toolCall, { maxLength: 2 }),
    function_call: fc.record({ name: text, arguments: text }),
    audio: fc.record({ id: text, expires_at: number, data: text, transcript: text }),
    annotations: fc.array(fc.record({ type: text, url_citation: fc.record({ start_index: number, url: text }) }), {
      maxLength: 1,
    }),
    refusal: text,
    reasoning_content: text,
    reasoning: scalar,
    thinking_blocks: fc.oneof(anyJson, fc.array(thinkingBlock, { maxLength: 2 })),
    reasoning_details: fc.oneof(anyJson, fc.array(reasoningDetail, { maxLength: 2 })),
    extra: anyJson,
  },
  { requiredKeys: ['role'] },
);
/** Fields that the format gives few values, numbers, or a form. */
const CLOSED =
  `service_tier reasoning_effort tool_choice verbosity prompt_cache_retention function_call modalities prediction audio
  stream_options web_search_options logit_bias n seed temperature top_p max_tokens max_completion_tokens presence_penalty
  frequency_penalty top_logprobs parallel_tool_calls store user safety_identifier prompt_cache_key
  thinking context_management output_config anthropic_beta cache_control`.split(/\s+/);
const toolMessage = fc.record({
  role: fc.constantFrom('tool', 'function'),
  content: fc.oneof(
    jsonText,
    fc.array(fc.oneof(part, fc.record({ type: fc.constant('text'), text: jsonText })), { maxLength: 3 }),
  ),
});
const request = fc.record(
  {
    model: fc.constant('m'),
    messages: fc.array(fc.oneof(message, toolMessage), { minLength: 1, maxLength: 3 }),
    tools: anyJson,
    metadata: anyJson,
    stop: anyJson,
    response_format: anyJson,
    ...Object.fromEntries(CLOSED.map((name) => [name, scalar])),
  },
  { requiredKeys: ['model', 'messages'] },
);

/** Every string and number, and every key that is no field of the format: found by another road than the code under test. */
function leavesOf(value: unknown, key = '', ofTool = false): string[] {
  if (typeof value === 'string') return key === 'arguments' || key === 'input' || ofTool ? decoded(value) : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter((k) => !isKnownField(k));
  const isTool = 'role' in value && (value.role === 'tool' || value.role === 'function');
  return [...keys, ...Object.entries(value).flatMap(([k, member]) => leavesOf(member, k, ofTool || (isTool && k === 'content')))];
}

/** The strings, numbers and keys of JSON in a text, and of JSON in those. */
function decoded(json: string): string[] {
  const value = tryParse(json);
  if (typeof value === 'string') return decoded(value);
  if (value === undefined) return [plainText(json)];
  if (typeof value === 'number') return [plainNumber(json.trim())];
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.values(value).flatMap((member) => (typeof member === 'string' ? decoded(member) : decodedIn(member)));
  return Array.isArray(value) ? within : [...Object.keys(value).flatMap(decoded), ...within];
}

function decodedIn(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? decoded(JSON.stringify(value)) : [];
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Where = 'tool' | 'input' | 'arguments';

function requestWith(where: Where, json: string): ChatRequest {
  if (where === 'tool') return { model: 'm', messages: [{ role: 'tool', tool_call_id: 'c', content: json }] };
  const called = where === 'input' ? { custom: { name: 'f', input: json } } : { function: { name: 'f', arguments: json } };
  const call = { id: 'c', type: where === 'input' ? 'custom' : 'function', ...called };
  return { model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [call] }] };
}

function textIn({ messages: [first] }: ChatRequest, where: Where): string {
  const call = first?.tool_calls?.[0] as { function?: { arguments: string }; custom?: { input: string } } | undefined;
  const held = where === 'tool' ? first?.content : where === 'input' ? call?.custom?.input : call?.function?.arguments;
  return String(held);
}

function seen(payload: Payload): string[] {
  return payload.leaves.map((leaf) => leaf.text);
}

/** What the gateway writes itself, and the types of the parts that are made here. */
const OURS: ReadonlySet<string> = new Set([
  'm',
  'chat.completion',
  '7',
  'image_url',
  'input_audio',
  'file',
  'text',
  'tool',
  'function',
  'thinking',
  'redacted_thinking',
]);

describe('no leaf is neither looked at nor listed', () => {
  it('holds for requests', () => {
    fc.assert(
      fc.property(request, (generated) => {
        const subject = structuredClone(generated) as unknown as ChatRequest;
        const all = leavesOf(generated).filter((leaf) => !OURS.has(leaf));
        const payload = collectRequest(subject);
        const looked = new Set(seen(payload));
        const unseen = all.filter((leaf) => !looked.has(leaf));
        // What was not looked at must be the bytes of as many listed parts.
        expect(unseen.length).toBeLessThanOrEqual(payload.skipped.length);
      }),
    );
  });

  const choice = fc.record({ index: number, message, finish_reason: text, logprobs: anyJson });
  const head = { id: fc.constant('m'), object: fc.constant('chat.completion'), created: fc.constant(7), model: fc.constant('m') };
  const answer = fc.record({
    ...head,
    service_tier: scalar,
    system_fingerprint: text,
    usage: fc.record({ prompt_tokens: number, completion_tokens: number, total_tokens: number, extra: anyJson }),
    extra: anyJson,
    choices: fc.array(choice, { minLength: 1, maxLength: 2 }),
  });

  it('holds for answers, of which unknown fields are left out and named', () => {
    fc.assert(
      fc.property(answer, (generated) => {
        const subject = knownAnswer(structuredClone(generated) as unknown as ChatCompletion);
        const { svc_left_out = [], ...known } = subject;
        const all = leavesOf(known).filter((leaf) => !OURS.has(leaf));
        const payload = collectCompletion(subject);
        const looked = new Set(seen(payload));
        expect(all.filter((leaf) => !looked.has(leaf)).length).toBeLessThanOrEqual(payload.skipped.length);
        const lost = leavesOf(generated).filter((leaf) => !leavesOf(known).includes(leaf));
        expect(svc_left_out.length > 0 || lost.length === 0).toBe(true);
        // Whoever wrote the answer chose none of the names.
        const names = svc_left_out.flatMap((place) => place.split('.'));
        expect(names.filter((name) => name !== 'other' && !isKnownField(name))).toEqual([]);
      }),
    );
  });

  it.each([
    ['a request', request, (value: unknown) => collectRequest(value as ChatRequest)],
    ['an answer', answer, (value: unknown) => collectCompletion(value as ChatCompletion)],
  ] as const)('a masked leaf of %s is gone from it, whatever held it', (_of, arbitrary, collect) => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<unknown>, (generated) => {
        const subject = structuredClone(generated);
        const payload = collect(subject);
        const segments = payload.segments(payload.leaves);
        const edits = segments.map(({ index, text }) => ({ segment: index, start: 0, end: text.length, replacement: 'masked' }));
        payload.apply(edits, payload.leaves, segments);
        const before = new Set(leavesOf(generated).filter((leaf) => !OURS.has(leaf)));
        expect(leavesOf(subject).filter((leaf) => before.has(leaf)).length).toBeLessThanOrEqual(payload.skipped.length);
      }),
    );
  });

  it('JSON in a text parses again when a leaf of it is masked, its other values unchanged; else it keeps its bytes', () => {
    fc.assert(
      fc.property(jsonText, fc.nat(), fc.constantFrom('tool', 'input', 'arguments'), (json, at, where) => {
        const subject = requestWith(where, json);
        const payload = collectRequest(subject);
        if (where !== 'arguments') expect(textIn(subject, where)).toBe(json);
        const inText = payload.leaves.filter(({ path }) => /\.(?:content|input|arguments)(?:\.|$)/.test(path));
        const masked = inText[at % Math.max(1, inText.length)];
        if (masked === undefined) return;
        const segments = payload.segments(payload.leaves);
        const segment = payload.leaves.indexOf(masked);
        const before = inText.map(({ text: own }) => own);
        payload.apply([{ segment, start: 0, end: masked.text.length, replacement: '<"X\\>' }], payload.leaves, segments);
        expect(tryParse(textIn(subject, where))).toBeDefined();
        const after = collectRequest(requestWith(where, textIn(subject, where))).leaves.map(({ text: own }) => own);
        expect(after.slice(after.length - before.length)).toEqual(
          before.map((own, index) => (inText[index] === masked ? '<"X\\>' : own)),
        );
      }),
    );
  });
});

describe('fields of few values', () => {
  const seenIn = (more: object): string[] => seen(collectRequest({ model: 'm', messages: [], ...more }));

  it('are passed over where they say one of them, and read where they say anything else', () => {
    const listed = {
      service_tier: 'flex',
      reasoning_effort: 'high',
      tool_choice: 'auto',
      modalities: ['text', 'audio'],
      response_format: { type: 'json_schema' },
      tools: [{ type: 'function' }, { type: 'custom', custom: { format: { type: 'grammar', grammar: { syntax: 'lark' } } } }],
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'u', detail: 'low' } }] }],
    };
    expect(seenIn(listed)).toEqual(['u']);
    const others = {
      service_tier: '4111111111111111',
      reasoning_effort: 'sk-1',
      tool_choice: 'AKIA',
      modalities: ['4111111111111111'],
      response_format: { type: 'a.b' },
      tools: [{ type: 'x' }],
      messages: [{ role: 'my card 4111', content: '' }],
    };
    expect(seenIn(others)).toEqual(['my card 4111', '', '4111111111111111', 'sk-1', 'AKIA', '4111111111111111', 'a.b', 'x']);
  });

  it('of an answer, too', () => {
    const message = { role: 'assistant', content: null, annotations: [{ type: 'url_citation' }, { type: 'sk-1' }] };
    const choices = ['stop', 'AKIA'].map((finish_reason, index) => ({ index, finish_reason, message }));
    const answer = { id: 'i', object: 'chat.completion', created: 7, model: 'm', service_tier: 'default', choices } as const;
    expect(seen(collectCompletion(answer as unknown as ChatCompletion))).toEqual(['sk-1', 'AKIA', 'sk-1']);
  });

  it('that count are passed over while they are short', () => {
    expect(seenIn({ n: 2, max_tokens: 1_000_000, temperature: 0.75, logit_bias: { 50256: -100 } })).toEqual(['50256']);
    expect(seenIn({ max_tokens: 41_111_111, temperature: 0.4111111111111111 })).toEqual(['41111111', '0.4111111111111111']);
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
        tool_calls: [{ type: 'function', function: { name: 'pay', arguments: args } } as ToolCall],
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

  it('an integer shows its digits, however it is written', () => {
    const request = call('[4.111111111111111e15, 4111111111111111.0, 1.5, 1e400]');
    expect(
      collectRequest(request)
        .leaves.map(({ text }) => text)
        .slice(1),
    ).toEqual(['4111111111111111', '4111111111111111', '1.5', '1e400']);
    expect(argumentsOf(request)).toBe('[4.111111111111111e15,4111111111111111.0,1.5,1e400]');
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
    expect(collectRequest(request(half), false).leaves).toHaveLength(2);
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

describe('JSON in the texts of tools', () => {
  const leavesIn = (request: ChatRequest, numbers = true) =>
    collectRequest(request, numbers).leaves.map(({ kind, text: own, path }) => `${kind} ${own} ${path}`);

  it('is looked at by leaf, escapes read, behind repeated keys too', () => {
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

  it('is looked at in parts, and where it is one string or number alone', () => {
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
    payload.apply([{ segment: at, start: 0, end: 4, replacement: '<N>' }], payload.leaves, segments);
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
      for (const where of ['tool', 'input'] as const) {
        const subject = requestWith(where, json);
        const payload = collectRequest(subject);
        expect(textIn(subject, where)).toBe(json);
        const segments = payload.segments(payload.leaves);
        const at = segments.findIndex(({ text: shown }) => shown === own);
        payload.apply([{ segment: at, start: 0, end: own.length, replacement: '<N>' }], payload.leaves, segments);
        expect(textIn(subject, where)).toBe(masked);
      }
    },
  );

  it('of people and models is text as it stands', () => {
    const messages = ['user', 'assistant', 'system'].map((role) => ({ role, content: '{"a":"\\u00fc"}' }));
    expect(seen(collectRequest({ model: 'm', messages }))).toEqual(messages.map(({ content }) => content));
  });

  it.each(['tool', 'input'] as const)('has the limits of JSON, which text that is none has not (%s)', (where) => {
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

  it('is not built where there is no room', () => {
    expect(() => collectRequest(requestWith('tool', '[1,2,3]'), true, undefined, () => false)).toThrow(NoRoomForJson);
  });

  it('many edits of JSON in JSON are written once', () => {
    const inner = Array.from({ length: 20_000 }, (_, i) => JSON.stringify([`s${i}`]));
    const subject = requestWith('tool', JSON.stringify(inner));
    const payload = collectRequest(subject);
    const segments = payload.segments(payload.leaves);
    const edits = segments.map(({ index }) => ({ segment: index, start: 0, end: 1, replacement: 'x' }));
    payload.apply(edits, payload.leaves, segments);
    expect(textIn(subject, 'tool').startsWith('["[\\"x0\\"]","[\\"x1\\"]"')).toBe(true);
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

describe('numbers outside of argument strings', () => {
  const CARD = 4_111_111_111_111_111;
  const schema = { type: 'object', properties: { card: { enum: [CARD], const: CARD, minimum: CARD } } };
  const request = (): ChatRequest => ({
    model: 'm',
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: { n: CARD } } }],
      },
      { role: 'user', content: [{ type: 'text', text: CARD }] },
    ] as unknown as ChatRequest['messages'],
    seed: CARD,
    metadata: { card: CARD, list: [CARD] },
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  });

  it('are seen by who reads numbers, and can be edited', () => {
    const subject = request();
    const payload = collectRequest(subject, true);
    const leaves = payload.inScope('all', true);
    const segments = payload.segments(leaves);
    const numbers = segments.filter(({ text }) => text === String(CARD));
    expect(numbers).toHaveLength(11);
    payload.apply(
      numbers.map(({ index, text }) => ({ segment: index, start: 0, end: text.length, replacement: '<CARD>' })),
      leaves,
      segments,
    );
    expect(JSON.stringify(subject)).not.toContain(String(CARD));
    expect(subject).toMatchObject({ seed: '<CARD>', metadata: { card: '<CARD>', list: ['<CARD>'] } });
  });

  it('are no leaves where nobody reads them, and hidden from those who do not', () => {
    expect(seen(collectRequest(request(), false)).filter((text) => text === String(CARD))).toEqual([]);
    expect(
      collectRequest(request(), true)
        .inScope('all', false)
        .map(({ text }) => text),
    ).not.toContain(String(CARD));
  });
});

describe('ids of tool calls', () => {
  const CARD = '4111111111111111';
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const conversation = (): ChatRequest => ({
    model: 'm',
    messages: [
      { role: 'assistant', content: null, tool_calls: [call(CARD), call('call_2')] },
      { role: 'tool', tool_call_id: CARD, content: 'one' },
      { role: 'tool', tool_call_id: 'call_2', content: 'two' },
    ],
  });
  const maskCard = (payload: Payload, scope: 'all' | 'new'): void => {
    const leaves = payload.inScope(scope, true);
    const segments = payload.segments(leaves);
    const found = segments.filter(({ text }) => text === CARD);
    expect(found.length).toBeGreaterThan(0);
    payload.apply(
      found.map(({ index }) => ({ segment: index, start: 0, end: CARD.length, replacement: '<CARD>' })),
      leaves,
      segments,
    );
  };

  it.each(['all', 'new'] as const)('that are edited become ids of ours, the same for call and result (scope %s)', (scope) => {
    const request = conversation();
    maskCard(collectRequest(request), scope);
    const [first, second] = request.messages[0]?.tool_calls ?? [];
    expect(first?.id).toMatch(/^[a-z0-9]{9}$/);
    expect(request.messages[1]?.tool_call_id).toBe(first?.id);
    expect([second?.id, request.messages[2]?.tool_call_id]).toEqual(['call_2', 'call_2']);
    expect(JSON.stringify(request)).not.toContain(CARD);
  });

  it('are shown as they became to the next node', () => {
    const request = conversation();
    const payload = collectRequest(request);
    maskCard(payload, 'all');
    const shown = payload.segments(payload.leaves).filter(({ kind }) => kind === 'id');
    const id = request.messages[1]?.tool_call_id;
    expect(shown.map(({ text }) => text)).toEqual([id, 'call_2', id, 'call_2']);
  });

  it('of an answer that are edited need no mapping back: what the client sends again is an id of ours', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call(CARD)] };
    const answer: ChatCompletion = {
      id: 'i',
      object: 'chat.completion',
      created: 7,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    };
    maskCard(collectCompletion(answer), 'all');
    const [masked] = answer.choices[0]?.message.tool_calls ?? [];
    expect(masked?.id).toMatch(/^[a-z0-9]{9}$/);
    expect(JSON.stringify(answer)).not.toContain(CARD);
  });
});

describe('what only a vendor reads', () => {
  const thinkingOf = (message: object): ChatRequest => ({
    model: 'm',
    messages: [{ role: 'assistant', content: null, ...message }],
  });
  const blocks = (...thinking_blocks: object[]) => thinkingOf({ thinking_blocks });
  const listed = ({ skipped, leaves }: Payload) => ({ skipped, seen: leaves.map(({ text }) => text) });

  it('is listed in its closed form, and its text is looked at', () => {
    const request = blocks(
      { type: 'thinking', thinking: 'because', signature: 'c2ln+/==' },
      { type: 'redacted_thinking', data: 'svc_opaque_QUJD' },
    );
    expect(listed(collectRequest(request))).toEqual({
      skipped: [
        { path: 'messages.0.thinking_blocks.0.signature', why: 'opaque' },
        { path: 'messages.0.thinking_blocks.1.data', why: 'handle' },
      ],
      seen: ['because'],
    });
    const google = { thought_signature: 'QUJD' };
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: { google } };
    const details = [{ type: 'reasoning.encrypted', data: 'QUJD', id: 'rs_1', format: 'openai-responses-v1', index: 0 }];
    const seen = collectRequest(thinkingOf({ tool_calls: [call], reasoning_details: details }));
    expect(listed(seen)).toEqual({
      skipped: [
        { path: 'messages.0.tool_calls.0.extra_content.google.thought_signature', why: 'opaque' },
        { path: 'messages.0.reasoning_details.0.data', why: 'opaque' },
      ],
      seen: ['c', 'f', 'rs_1'],
    });
  });

  it.each([
    ['words', 'my card number'],
    ['a mail address', 'bob@example.com'],
    ['a character beyond ASCII', 'QUJDé'],
    ['padding inside', 'QU=JD'],
    ['more than any vendor writes', 'A'.repeat(262_145)],
  ])('is text with %s', (_what, signature) => {
    const { leaves, skipped } = collectRequest(blocks({ type: 'thinking', thinking: '', signature }));
    expect([leaves.map(({ text }) => text), skipped]).toEqual([['', signature], []]);
  });

  it.each([
    ['a request', 'request'],
    ['an answer', 'answer'],
  ] as const)('of %s goes with the text that it signs, with no other, and not where a handle has that text', (_what, of) => {
    const message = {
      role: 'assistant',
      content: null,
      thinking_blocks: [
        { type: 'thinking', thinking: 'of Bob', signature: 'QUJD' },
        { type: 'thinking', thinking: 'of nobody', signature: 'REVG' },
        { type: 'thinking', thinking: 'of Bob', signature: 'svc_opaque_QUJD' },
      ],
      reasoning_details: [{ type: 'reasoning.text', text: 'of Bob', signature: 'QUJD' }],
    };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const completion = { id: 'i', object: 'chat.completion', created: 7, model: 'm', choices } as unknown as ChatCompletion;
    const payload =
      of === 'answer' ? collectCompletion(completion) : collectRequest({ model: 'm', messages: [message as never] });
    const segments = payload.segments(payload.leaves);
    const edits = segments.flatMap(({ index, text }) =>
      text === 'of Bob' ? [{ segment: index, start: 3, end: 6, replacement: '<NAME>' }] : [],
    );
    payload.apply(edits, payload.leaves, segments);
    expect(message.thinking_blocks).toEqual([
      { type: 'thinking', thinking: 'of <NAME>' },
      { type: 'thinking', thinking: 'of nobody', signature: 'REVG' },
      { type: 'thinking', thinking: 'of <NAME>', signature: 'svc_opaque_QUJD' },
    ]);
    expect(message.reasoning_details).toEqual([{ type: 'reasoning.text', text: 'of <NAME>' }]);
  });
});
