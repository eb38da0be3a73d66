import type { AnswerFrame, FrameReading, JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MESSAGES } from '../messages.ts';
import { MessagesReader } from './reader.ts';
import { type Block, framesOfMessage, message } from './test-parts.ts';

const START: AnswerFrame = { type: 'message_start', message: { ...message([]), usage: { input_tokens: 5, output_tokens: 1 } } };
const block = (index: number, content_block: object): AnswerFrame => ({ type: 'content_block_start', index, content_block });
const grown = (index: number, delta: object): AnswerFrame => ({ type: 'content_block_delta', index, delta });
const closed = (index: number): AnswerFrame => ({ type: 'content_block_stop', index });
const END: AnswerFrame[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

function readAll(frames: readonly AnswerFrame[], reader = new MessagesReader()): FrameReading[] {
  return frames.map((frame) => reader.read(frame));
}

const at = (value: unknown, place: readonly (string | number)[]): unknown =>
  place.reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), value);

describe('streamed texts', () => {
  test('arrive in pieces of their block, and end with it', () => {
    const frames = [
      START,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      grown(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      grown(0, { type: 'signature_delta', signature: 'QUJD' }),
      closed(0),
      block(1, { type: 'text', text: '' }),
      grown(1, { type: 'text_delta', text: 'Hi' }),
      grown(1, { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x' } }),
      closed(1),
      { type: 'ping' },
      ...END,
    ];
    const readings = readAll(frames);
    expect(readings.map(({ pieces, ends, isLast }) => [pieces.map(({ channel }) => channel), ends, isLast])).toEqual([
      [[], [], false],
      [[], [], false],
      [['content.0.thinking'], [], false],
      [[], [], false],
      [[], ['content.0.thinking'], false],
      [[], [], false],
      [['content.1.text'], [], false],
      [[], [], false],
      [[], ['content.1.text'], false],
      [[], [], false],
      [[], [], true],
      [[], [], true],
    ]);
    expect(readings[6]?.pieces[0]?.place).toEqual(['delta', 'text']);
  });

  test('are followed by their signatures', () => {
    const thinking = block(0, { type: 'thinking', thinking: '', signature: '' });
    const signed = (signature: string) => readAll([START, thinking, grown(0, { type: 'signature_delta', signature })])[2];
    const texts = { thinking: 'content.0.thinking' };
    expect(signed('QUJD')).toMatchObject({ pieces: [], signatures: [{ place: ['delta', 'signature'], texts }] });
    const piece = { channel: 'content.0.signature', place: ['delta', 'signature'] };
    expect(signed('no signature')).toMatchObject({ pieces: [piece], signatures: [] });
    const whole = block(0, { type: 'thinking', thinking: 'Hm.', signature: 'QUJD' });
    expect(readAll([START, whole])[1]).toMatchObject({ signatures: [{ place: ['content_block', 'signature'], texts }] });
  });

  test('may begin with their block', () => {
    const [, reading] = readAll([START, block(0, { type: 'text', text: 'Hi' })]);
    expect(reading).toMatchObject({
      pieces: [{ channel: 'content.0.text', place: ['content_block', 'text'] }],
      isBeginning: true,
    });
  });

  test('of unknown deltas are separate channels, at any depth', () => {
    const reader = new MessagesReader();
    const delta = { type: 'not_invented_yet_delta', note: 'a', deep: { list: [1, { said: 'b' }] }, signature: 'QUJD' };
    const [, , reading] = readAll([START, block(0, { type: 'not_invented_yet', text: '' }), grown(0, delta)], reader);
    expect(reading?.pieces).toEqual([
      { channel: 'content.0.note', place: ['delta', 'note'] },
      { channel: 'content.0.deep.list.1.said', place: ['delta', 'deep', 'list', 1, 'said'] },
    ]);
    expect(reader.pieceOf('content.0.deep.list.1.said', 'c')).toEqual(
      grown(0, { type: 'not_invented_yet_delta', note: '', deep: { list: [1, { said: 'c' }] }, signature: '' }),
    );
    expect(reader.pathOf('content.0.note')).toBe('content.0.other');
    expect(reader.read(closed(0)).ends).toEqual(['content.0.note', 'content.0.deep.list.1.said']);
  });

  test('form one part with the texts that began an unknown block', () => {
    const readings = readAll([START, block(0, { type: 'not_invented_yet', text: 'x' }), grown(0, { type: 'more', text: 'y' })]);
    expect(readings.slice(1).map(({ part }) => part)).toEqual(Array(2).fill({ name: 'content.0', isComplete: false }));
  });

  test('of a compaction are streamed too; encrypted content passes', () => {
    const delta = { type: 'compaction_delta', content: 'So far: …', encrypted_content: 'QUJD' };
    const [, , reading] = readAll([START, block(0, { type: 'compaction', content: null }), grown(0, delta)]);
    expect(reading?.pieces).toEqual([{ channel: 'content.0.content', place: ['delta', 'content'] }]);
  });

  test('end with the message if their block does not end', () => {
    const frames = [START, block(0, { type: 'text', text: '' }), grown(0, { type: 'text_delta', text: 'x' }), ...END];
    expect(readAll(frames).at(-2)).toMatchObject({ ends: ['content.0.text'], isLast: true });
  });

  test('continue in a separate frame', () => {
    const reader = new MessagesReader();
    readAll([START, block(0, { type: 'text', text: '' }), grown(0, { type: 'text_delta', text: 'x' })], reader);
    expect(reader.pieceOf('content.0.text', 'y')).toEqual(grown(0, { type: 'text_delta', text: 'y' }));
    expect(reader.pathOf('content.0.text')).toBe('content.0.text');
  });
});

describe('a tool call', () => {
  const begun = block(1, { type: 'tool_use', id: 'toolu_1', name: 'pay', input: {} });
  const frames = [begun, grown(1, { type: 'input_json_delta', partial_json: '{"to":"Ann","n":' })];
  frames.push(grown(1, { type: 'input_json_delta', partial_json: '12345678901234567890}' }), closed(1));

  test.each(['tool_use', 'server_tool_use', 'mcp_tool_use', 'not_invented_yet_tool_use'])('%s is a part', (type) => {
    const parts = readAll([START, block(1, { type, id: 'i', name: 'pay', input: {} }), ...frames.slice(1)]).map(
      ({ part }) => part,
    );
    const open = { name: 'content.1', isComplete: false };
    expect(parts).toEqual([null, open, open, open, { name: 'content.1', isComplete: true }]);
  });

  test('is the same as in a whole answer, with all digits', () => {
    const { path, value } = new MessagesReader().partOf(frames);
    expect(path).toBe('content.1');
    expect(JSON.stringify(value)).toBe(
      '{"type":"tool_use","id":"toolu_1","name":"pay","input":{"to":"Ann","n":12345678901234567890}}',
    );
  });

  test('that a guard edited is written again, and is read the same', () => {
    const reader = new MessagesReader();
    const edited = { path: 'content.1', value: { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { to: '***' } } };
    const written = reader.framesOf(edited, frames);
    expect(written).toEqual([
      block(1, { type: 'tool_use', id: 'toolu_1', name: 'pay', input: {} }),
      grown(1, { type: 'input_json_delta', partial_json: '{"to":"***"}' }),
      closed(1),
    ]);
    expect(reader.partOf(written)).toEqual(edited);
  });

  test('may arrive whole, without input, or cut off', () => {
    const reader = new MessagesReader();
    const whole = [block(0, { type: 'tool_use', id: 'i', name: 'f', input: { a: 'b' } }), closed(0)];
    expect(reader.partOf(whole).value.input).toEqual({ a: 'b' });
    expect(reader.framesOf({ path: 'content.0', value: { type: 'tool_use', input: { a: 'c' } } }, whole)).toEqual([
      block(0, { type: 'tool_use', input: { a: 'c' } }),
      closed(0),
    ]);
    const empty = [block(0, { type: 'tool_use', id: 'i', name: 'f', input: {} }), closed(0)];
    expect(reader.partOf(empty).value.input).toEqual({});
    const broken = [begun, grown(1, { type: 'input_json_delta', partial_json: '{"to":"An' }), closed(1)];
    expect(reader.partOf(broken).value.input).toBe('{"to":"An');
  });

  test('also shows the other content of its frames', () => {
    const more = [
      ...frames.slice(0, 2),
      grown(1, { type: 'x_delta', note: 'a' }),
      grown(1, { type: 'x_delta', note: 'b' }),
      closed(1),
    ];
    expect(new MessagesReader().partOf(more).value).toMatchObject({ note: 'ab' });
  });
});

describe('facts', () => {
  test('come from the last counts, and are complete at the end', () => {
    const reader = new MessagesReader();
    reader.read(START);
    expect(reader.facts).toEqual({
      finish_reason: null,
      usage: { input_tokens: 5, output_tokens: 1, cached_input_tokens: 0, estimated: false },
    });
    expect(reader.isComplete).toBe(false);
    readAll(END, reader);
    expect(reader.facts).toMatchObject({ finish_reason: 'stop', usage: { input_tokens: 5, output_tokens: 7 } });
    expect(reader.isComplete).toBe(true);
  });

  test('without a valid last count keep the earlier values', () => {
    const reader = new MessagesReader();
    readAll([START, { type: 'message_delta', delta: {}, usage: { output_tokens: -1 } }], reader);
    expect(reader.facts.usage).toMatchObject({ input_tokens: 5, output_tokens: 0 });
  });
});

describe('a violation of the protocol', () => {
  test.each<[string, AnswerFrame[], string]>([
    ['the end alone', [{ type: 'message_stop' }], 'malformed'],
    ['two beginnings', [START, START], 'malformed'],
    ['a block before the message', [block(0, { type: 'text', text: '' })], 'malformed'],
    ['a delta of no block', [START, grown(0, { type: 'text_delta', text: 'x' })], 'malformed'],
    ['a content block that is not an object', [START, { type: 'content_block_start', index: 0 }], 'malformed'],
    ['a text that is a number', [START, block(0, { type: 'text', text: 7 })], 'malformed'],
    ['a delta without its text', [START, block(0, { type: 'text', text: '' }), grown(0, { type: 'text_delta' })], 'malformed'],
    ['two blocks at one place', [START, block(0, { type: 'text', text: '' }), block(0, { type: 'text', text: '' })], 'malformed'],
    [
      'two, one after the other',
      [START, block(0, { type: 'text', text: '' }), closed(0), block(0, { type: 'text', text: '' })],
      'malformed',
    ],
    ['a call that does not end', [START, block(0, { type: 'tool_use', id: 'i', name: 'f', input: {} }), ...END], 'malformed'],
    ['an error', [START, { type: 'error', error: { type: 'overloaded_error', message: 'x' } }], 'unavailable'],
    ['an error of the caller', [{ type: 'error', error: { type: 'invalid_request_error', message: 'x' } }], 'invalid_request'],
  ])('%s', (_name, frames, kind) => {
    expect(() => readAll(frames)).toThrow(expect.objectContaining({ name: 'ProviderError', kind }));
  });
});

const said = fc.string({ minLength: 1, maxLength: 12 });
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant('text'), text: said }),
  fc.record({ type: fc.constant('thinking'), thinking: said, signature: fc.constant('QUJD') }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.constant('REVG') }),
  fc.record({
    type: fc.constantFrom('tool_use', 'server_tool_use'),
    id: fc.constant('toolu_1'),
    name: said,
    input: fc.dictionary(said, fc.oneof(said, fc.integer())),
  }),
  fc.record({
    type: fc.constant('web_search_tool_result'),
    tool_use_id: fc.constant('srvtoolu_1'),
    content: fc.array(fc.record({ type: fc.constant('web_search_result'), title: said }), { maxLength: 2 }),
  }),
);

test('frames, when they are collected, are the message that was streamed', () => {
  fc.assert(
    fc.property(fc.array(anyBlock, { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), (blocks, size) => {
      const gatherer = MESSAGES.frames?.gatherer();
      for (const frame of framesOfMessage(message(blocks), size)) gatherer?.take(frame);
      expect(gatherer?.answer()).toEqual(message(blocks));
    }),
  );
});

test('however the stream is cut, frames stay unchanged, pieces form the whole texts, parts the whole blocks, and everything open ends', () => {
  fc.assert(
    fc.property(fc.array(anyBlock, { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), (blocks, size) => {
      const frames = framesOfMessage(message(blocks), size);
      const before = structuredClone(frames);
      const reader = new MessagesReader();
      const texts = new Map<string, string>();
      const ended: string[] = [];
      const parts = new Map<string, AnswerFrame[]>();
      for (const frame of frames) {
        const { pieces, ends, part } = reader.read(frame);
        for (const { channel, place } of pieces) texts.set(channel, (texts.get(channel) ?? '') + String(at(frame, place)));
        ended.push(...ends);
        if (part !== null) parts.set(part.name, [...(parts.get(part.name) ?? []), frame]);
      }
      expect(frames).toEqual(before);
      expect([...texts.keys()].sort()).toEqual(ended.sort());
      for (const [channel, text] of texts) expect(text).toBe(at({ content: blocks }, reader.pathOf(channel).split('.')));
      for (const held of parts.values()) {
        const { path, value } = reader.partOf(held);
        expect(value).toEqual(at({ content: blocks }, path.split('.')));
        expect(reader.partOf(reader.framesOf({ path, value }, held)).value).toEqual(value);
      }
      expect(reader.isComplete).toBe(true);
    }),
  );
});

test('every string of a delta is in a channel, in a part, or known to the table', () => {
  const { frames: streamed } = MESSAGES;
  fc.assert(
    fc.property(fc.array(anyBlock, { minLength: 1, maxLength: 3 }), (blocks) => {
      const reader = streamed?.reader();
      for (const frame of framesOfMessage(message(blocks), 3)) {
        const reading = reader?.read(frame);
        if (frame.type !== 'content_block_delta' || reading?.part != null) continue;
        for (const [pattern, place] of stringsOf(frame)) {
          const { vocabulary, isSealed } = streamed?.table.placeOf(pattern) ?? {};
          const isKnown = vocabulary?.has(String(at(frame, place))) === true || isSealed === true;
          const isPiece = reading?.pieces.some((piece) => piece.place.join() === place.join()) === true;
          expect([pattern, isPiece]).toEqual([pattern, !isKnown]);
        }
      }
    }),
  );
});

function stringsOf(value: unknown, pattern = '', place: (string | number)[] = []): [string, (string | number)[]][] {
  if (typeof value === 'string') return [[pattern, place]];
  if (Array.isArray(value)) return value.flatMap((item, index) => stringsOf(item, `${pattern}.*`, [...place, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as JsonObject).flatMap(([key, member]) =>
    stringsOf(member, pattern === '' ? key : `${pattern}.${key}`, [...place, key]),
  );
}
