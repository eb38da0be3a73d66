import type { ChatCompletion, ChatRequest, JsonValue } from '@svc/contracts';
import { CHAT, isKnownName } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainNumber } from './json-scan.ts';
import { plainText } from './plain-text.ts';
import { applyEdits, collectCompletion, collectRequest, requestWith, seen, textIn } from './test-parts.ts';

/** Sentences, card numbers and keys. None of them occurs in the format itself, so every occurrence must be seen or listed. */
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
/** Values for a field that allows few values, including invalid ones. */
const scalar = fc.oneof(text, number, anyJson);

/** JSON as Python writes it and tools return it: with different white space, and with more JSON in its strings. */
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
/** A value that only its vendor can read, a handle of the gateway, or text in its place. */
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
/** Fields that have fixed values, numbers or a fixed form. */
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

/** Every string and number, and every key that is not a field of the format. Independent of the code under test. */
function leavesOf(value: unknown, key = '', ofTool = false): string[] {
  if (typeof value === 'string') return key === 'arguments' || key === 'input' || ofTool ? decoded(value) : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value).filter((k) => !isKnownName(k));
  const isTool = 'role' in value && (value.role === 'tool' || value.role === 'function');
  return [...keys, ...Object.entries(value).flatMap(([k, member]) => leavesOf(member, k, ofTool || (isTool && k === 'content')))];
}

/** The strings, numbers and keys of JSON in a text, and of JSON in the strings of that JSON. */
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

/** Values that the gateway writes itself, and the types of parts that this test creates. */
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

describe('every leaf is either checked or listed', () => {
  it('holds for requests', () => {
    fc.assert(
      fc.property(request, (generated) => {
        const subject = structuredClone(generated) as unknown as ChatRequest;
        const all = leavesOf(generated).filter((leaf) => !OURS.has(leaf));
        const payload = collectRequest(subject);
        const looked = new Set(seen(payload));
        const unseen = all.filter((leaf) => !looked.has(leaf));
        // Every unseen text must belong to a listed part.
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

  it('holds for answers, whose repetitions of text are removed and named', () => {
    fc.assert(
      fc.property(answer, (generated) => {
        const { answer: known, left_out } = CHAT.checkable(structuredClone(generated) as unknown as ChatCompletion);
        const subject = known as ChatCompletion;
        const all = leavesOf(known).filter((leaf) => !OURS.has(leaf));
        const payload = collectCompletion(subject);
        const looked = new Set(seen(payload));
        expect(all.filter((leaf) => !looked.has(leaf)).length).toBeLessThanOrEqual(payload.skipped.length);
        const lost = leavesOf(generated).filter((leaf) => !leavesOf(known).includes(leaf));
        expect(left_out.length > 0 || lost.length === 0).toBe(true);
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
        applyEdits(payload, edits, segments);
        const before = new Set(leavesOf(generated).filter((leaf) => !OURS.has(leaf)));
        expect(leavesOf(subject).filter((leaf) => before.has(leaf)).length).toBeLessThanOrEqual(payload.skipped.length);
      }),
    );
  });

  it('JSON in a text still parses after a leaf is masked, with its other values unchanged; otherwise it keeps its bytes', () => {
    fc.assert(
      fc.property(jsonText, fc.nat(), fc.constantFrom('tool', 'input', 'arguments', 'vendor'), (json, at, where) => {
        const subject = requestWith(where, json);
        const payload = collectRequest(subject);
        expect(textIn(subject, where)).toBe(json);
        const inText = payload.leaves.filter(({ path }) => /\.(?:content|input|arguments)(?:\.|$)/.test(path));
        const masked = inText[at % Math.max(1, inText.length)];
        if (masked === undefined) return;
        const segments = payload.segments(payload.leaves);
        const segment = payload.leaves.indexOf(masked);
        const before = inText.map(({ text: own }) => own);
        applyEdits(payload, [{ segment, start: 0, end: masked.text.length, replacement: '<"X\\>' }], segments);
        expect(tryParse(textIn(subject, where))).toBeDefined();
        const after = collectRequest(requestWith(where, textIn(subject, where))).leaves.map(({ text: own }) => own);
        expect(after.slice(after.length - before.length)).toEqual(
          before.map((own, index) => (inText[index] === masked ? '<"X\\>' : own)),
        );
      }),
    );
  });
});
