import type { AnswerFrame, AnyProvider, Guard, Protocol, ProtocolId } from '@svc/contracts';
import { CHAT, MESSAGES } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { lineOf, wordGuard } from './test-parts.ts';

const { frames: FRAMES } = MESSAGES;
if (FRAMES === null) throw new Error('no frames');
const { framesOf, gatherer } = FRAMES;

/** The frames that are sent when an upstream streams one message through these guards. */
async function streamed(
  frames: readonly AnswerFrame[],
  guards: readonly Guard[],
  protocol: Protocol = MESSAGES,
  spoken: ProtocolId = 'anthropic.messages',
) {
  const provider: AnyProvider = {
    protocols: [spoken],
    complete: () => Promise.reject(new Error('not used')),
    stream: async () => ({ chunks: each(structuredClone(frames)), unsupported: [] }),
  };
  const route = routeOf({ provider: provider as never, egress: guards.map((guard, at) => nodeOf(`node-${at}`, guard)) });
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  const run = { ...runOf(route), protocol, request: { model: 'r', messages: [{ role: 'user', content: 'hi' }] } };
  const line = lineOf();
  const end = await callLive(run as never, endpoint, line, ENV);
  return { end, left: [...line.frames, ...(line.tail ?? [])] as unknown as AnswerFrame[] };
}

async function* each(frames: readonly AnswerFrame[]): AsyncGenerator<AnswerFrame> {
  yield* frames;
}

function gathered(frames: readonly AnswerFrame[]) {
  const answer = gatherer();
  for (const frame of frames) answer.take(frame);
  return answer.answer();
}

/** The frames of a message with its texts cut into pieces of this size. */
function cut(frames: Iterable<AnswerFrame>, size: number): AnswerFrame[] {
  return [...frames].flatMap((frame) => {
    const delta = Object(frame.delta);
    const name = ['text', 'thinking', 'partial_json'].find((field) => typeof delta[field] === 'string');
    if (name === undefined) return [frame];
    const text: string = delta[name];
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
    return pieces.map((piece) => ({ ...frame, delta: { ...delta, [name]: piece } }));
  });
}

const said = fc
  .array(fc.constantFrom('secret', 'sec', 'ret', ' ', 'plain'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(''));
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: said }),
  fc.record({ type: fc.constant('thinking'), thinking: said, signature: fc.constant('QUJD') }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.constant('REVG') }),
  fc.record({
    type: fc.constantFrom('tool_use', 'server_tool_use'),
    id: fc.constantFrom('toolu_1', 'toolu_2'),
    name: fc.constant('f'),
    input: fc.record({ a: said, n: fc.integer() }),
  }),
  fc.record({
    type: fc.constant('web_search_tool_result'),
    tool_use_id: fc.constant('srvtoolu_1'),
    content: fc.array(fc.record({ type: fc.constant('web_search_result'), title: said }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant('not_invented_yet'), note: said }),
);
const message = fc.array(block, { minLength: 1, maxLength: 4 }).map((content) => ({
  id: 'msg_run-1',
  type: 'message',
  role: 'assistant',
  model: 'r',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}));
const size = fc.integer({ min: 1, max: 7 });
const headed = (frames: readonly AnswerFrame[], identity: { id: string; model: string }) =>
  frames.map((frame) => MESSAGES.withHead(frame, { created: 0, ...identity }));

describe('a streamed message', () => {
  it('is sent as received, frame by frame, if guards find nothing', async () => {
    await fc.assert(
      fc.asyncProperty(message, size, async (answer, at) => {
        const frames = cut(framesOf(answer), at);
        const { left } = await streamed(frames, [wordGuard('absent', 'sanitize', 'post')]);
        const [start] = left;
        const { id, model } = Object(start?.message);
        expect(unsealed(left)).toEqual(unsealed(headed(frames, { id: String(id).slice('msg_'.length), model })));
      }),
    );
  });

  it('is masked as the whole message would be, however it is cut; order and all else stay', async () => {
    await fc.assert(
      fc.asyncProperty(message, size, async (answer, at) => {
        const { left } = await streamed(cut(framesOf(answer), at), [wordGuard('secret', 'sanitize')]);
        const masked = JSON.parse(JSON.stringify(answer.content).replaceAll('secret', '<MASKED>'));
        expect(unsealed(gathered(left).content)).toEqual(unsealed(masked));
        expect(JSON.stringify(left)).not.toContain('secret');
      }),
    );
  });
});

describe('numbers that a double cannot hold', () => {
  const call = (written: string): AnswerFrame[] => [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'r', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: written } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ];
  const writtenIn = (frames: readonly AnswerFrame[]) => frames.map(({ delta }) => Object(delta).partial_json ?? '').join('');

  it('keep their digits in a call where a guard masks something else', async () => {
    const { left } = await streamed(call('{"a":"secret","n":12345678901234567890}'), [wordGuard('secret', 'sanitize')]);
    expect(writtenIn(left)).toBe('{"a":"<MASKED>","n":12345678901234567890}');
  });

  it('are shown with all digits to a guard that reads numbers', async () => {
    const guard = { ...wordGuard('12345678901234567890', 'sanitize'), reads_numbers: true as const };
    const { left } = await streamed(call('{"n":[12345678901234567890]}'), [guard]);
    expect(writtenIn(left)).toBe('{"n":["<MASKED>"]}');
  });
});

describe('a text that a vendor sends in another way', () => {
  const START = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'r', content: [] } };
  const END = [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ];
  const grown = (delta: object) => ({ type: 'content_block_delta', index: 0, delta });
  const kinds: Record<string, (pieces: readonly string[]) => AnswerFrame[]> = {
    'in the frame that begins its block': ([first = '', ...rest]) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: first } },
      ...rest.map((text) => grown({ type: 'text_delta', text })),
    ],
    'in deltas that nobody knows': (pieces) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'not_invented_yet', note: '' } },
      ...pieces.map((note) => grown({ type: 'not_invented_yet_delta', note })),
    ],
    'deep in them': (pieces) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'not_invented_yet' } },
      ...pieces.map((note) => grown({ type: 'not_invented_yet_delta', deep: [{ note }] })),
    ],
  };

  it.each(Object.entries(kinds))('%s is masked as a whole, and its block begins', async (_name, framesOfPieces) => {
    await fc.assert(
      fc.asyncProperty(said, size, async (text, at) => {
        const pieces = Array.from({ length: Math.ceil(text.length / at) }, (_, index) =>
          text.slice(index * at, (index + 1) * at),
        );
        const { left } = await streamed([START, ...framesOfPieces(pieces), ...END], [wordGuard('secret', 'sanitize')]);
        const texts = left.flatMap(({ content_block, delta }) => {
          const { text: begun = '', note = begun, deep = [{ note }] } = Object(content_block ?? delta);
          return deep[0].note;
        });
        expect(texts.join('')).toBe(text.replaceAll('secret', '<MASKED>'));
        expect(left.map(({ type }) => type).filter((type) => type !== 'content_block_delta')).toEqual([
          'message_start',
          'content_block_start',
          'content_block_stop',
          'message_delta',
          'message_stop',
        ]);
      }),
    );
  });
});

describe('what an upstream hides', () => {
  const START = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'r', content: [] } };
  const END = [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ];
  const begun = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block });
  const grown = (delta: object) => ({ type: 'content_block_delta', index: 0, delta });
  const CALL = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const written = (partial_json: string) => grown({ type: 'input_json_delta', partial_json });
  const hidden: Record<string, AnswerFrame[]> = {
    'beside a piece of a call': [begun(CALL), { ...written('{}'), note: 'secret' }],
    'in a piece of a call': [begun(CALL), grown({ type: 'input_json_delta', partial_json: '{}', note: 'secret' })],
    'in the type of a piece': [begun(CALL), grown({ type: 'secret' })],
    'under a key that comes twice': [begun(CALL), written('{"a":"sec'), written('ret","a":"b"}')],
    'in an input that is written again': [begun({ ...CALL, input: { a: 'secret' } }), written('{"b":1}')],
    'in a value that is replaced': [begun(CALL), grown({ type: 'x', a: ['secret'] }), grown({ type: 'x', a: ['b'] })],
    'between the beginning of a block and its pieces': [
      begun({ type: 'not_invented_yet', note: 'sec' }),
      grown({ type: 'x', note: 'ret' }),
    ],
    'in two texts of which nobody knows the names': ['sec', 'ret'].flatMap((piece, at) => [
      ...(at === 0 ? [begun({ type: 'not_invented_yet' })] : []),
      grown({ type: 'x', one: piece }),
      grown({ type: 'x', other: '-' }),
    ]),
    'in the message of another event': [begun(CALL), { type: 'ping', message: { id: 'secret', svc_left_out: ['secret'] } }],
  };

  it.each(Object.entries(hidden))('%s does not leave', async (_name, frames) => {
    const { left } = await streamed([START, ...frames, ...END], [wordGuard('secret', 'sanitize')]);
    expect(JSON.stringify(left)).not.toContain('secret');
    const texts = ['one', 'other', 'note', 'partial_json'].map((name) =>
      left.map(({ delta, content_block }) => Object(delta ?? content_block)[name] ?? '').join(''),
    );
    expect(texts.join('\n')).not.toContain('secret');
  });
});

describe('over the bridge', () => {
  const content = [
    { type: 'text', text: 'Hi' },
    { type: 'not_invented_yet', note: 'secret' },
  ];
  const answer = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content,
    stop_reason: 'end_turn',
    svc_event: 'blocked',
  };

  it('a chat client gets the names of lost parts, and no field reserved for the gateway', async () => {
    const frames = [...framesOf(answer)].map((frame) => ({ ...frame, svc_event: 'blocked' }));
    const { left, end } = await streamed(frames, [wordGuard('absent', 'sanitize')], CHAT);
    expect(end).toEqual({ kind: 'answered' });
    expect(left.flatMap((frame) => frame.svc_left_out ?? [])).toEqual(['content.other']);
    expect(left.some((frame) => 'svc_event' in frame)).toBe(false);
  });

  it('so does a client of the Messages API with a chat upstream', async () => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm-1',
      choices: [{ index: 0, delta, finish_reason }],
      svc_event: 'blocked',
    });
    const chunks = [
      chunk({ role: 'assistant', content: 'Hi' }),
      chunk({ annotations: [{ type: 'url_citation' }] }),
      chunk({}, 'stop'),
    ];
    const { left } = await streamed(chunks, [wordGuard('absent', 'sanitize')], MESSAGES, 'openai.chat');
    expect(left.at(-2)).toMatchObject({ type: 'message_delta', svc_left_out: ['choices.message.annotations'] });
    expect(left.some((frame) => 'svc_event' in frame)).toBe(false);
  });

  it('fields reserved for the gateway are removed', async () => {
    const { left } = await streamed(
      [...framesOf(answer)].map((frame) => ({ ...frame, svc_event: 'blocked' })),
      [],
    );
    expect(left.some((frame) => 'svc_event' in frame)).toBe(false);
  });
});

/** Treats sealed values and their handles as equal. */
function unsealed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"(?:svc_opaque_[\w-]+|QUJD|REVG)"/g, '"sealed"'));
}
