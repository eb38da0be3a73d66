import type { AnswerFrame, JsonObject, Protocol } from '@svc/contracts';
import guard from '@svc/guard-tools';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callLive } from '../../kernel/runtime/src/streaming/live-call.ts';
import { lineOf } from '../../kernel/runtime/src/streaming/test-parts.ts';
import { ENV, nodeOf, routeOf, runOf } from '../../kernel/runtime/src/test-parts.ts';

/** Of names and arguments that no caller may get, also in part. */
const DENIED = 'QZQZQZQZ';
const tools = () =>
  nodeOf(
    'tools',
    guard.create(
      {
        rules: [
          { name: 'no', tools: [`*${DENIED}*`], action: 'deny' },
          { name: 'rest', tools: ['*'], action: 'allow' },
        ],
        default: 'deny',
        offered: 'block',
        unoffered: 'allow',
        pins: {},
        changed_pin: 'block',
        unpinned: 'allow',
        placeholders: 'allow',
      },
      fakePluginDeps(),
    ),
  );

interface Call {
  readonly isDenied: boolean;
  readonly text: string;
}
const calls = fc.array(fc.record({ isDenied: fc.boolean(), text: fc.constantFrom('', 'x', 'a longer text') }), {
  minLength: 1,
  maxLength: 4,
});
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

const nameOf = ({ isDenied }: Call, at: number): string => (isDenied ? `f_${DENIED}_${at}` : `fine_${at}`);
const inputOf = ({ isDenied, text }: Call): string => JSON.stringify({ text, secret: isDenied ? DENIED : 'open' });

function cut(whole: string, wanted: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let rest = whole; rest !== ''; rest = rest.slice(pieces.at(-1)?.length))
    pieces.push(rest.slice(0, wanted[pieces.length % wanted.length]));
  return pieces;
}

/** The pieces of several lists by turns, each list in its order. */
function mixed<T>(lists: readonly (readonly T[])[], order: readonly number[]): T[] {
  const waiting = lists.map((list) => [...list]);
  const all: T[] = [];
  for (let at = 0; waiting.some((list) => list.length > 0); at += 1) {
    const open = waiting.filter((list) => list.length > 0);
    const next = open[(order[at % order.length] ?? 0) % open.length]?.shift();
    if (next !== undefined) all.push(next);
  }
  return all;
}

type Framed = (calls: readonly Call[], wanted: readonly number[], order: readonly number[]) => JsonObject[];

/** Names and arguments of calls in pieces, of several calls by turns, with text in between. */
const chatFrames: Framed = (given, wanted, order) => {
  const frame = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const lists = given.map((call, index) => [
    frame({
      tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: nameOf(call, index), arguments: '' } }],
    }),
    ...cut(inputOf(call), wanted).map((piece) => frame({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  const said = ['Sure, ', 'I call.'].map((content) => frame({ content }));
  return [frame({ role: 'assistant' }), ...mixed([said, ...lists], order), frame({}, 'tool_calls')];
};

const messagesFrames: Framed = (given, wanted, order) => {
  const blocks = given.map((call, at) => {
    const index = at + 1;
    return [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `t${at}`, name: nameOf(call, at), input: {} },
      },
      ...cut(inputOf(call), wanted).map((partial_json) => ({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index },
    ];
  });
  const text: object[] = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Sure.' } },
    { type: 'content_block_stop', index: 0 },
  ];
  return [
    { type: 'message_start', message: { type: 'message', id: 'm', role: 'assistant', model: 'm', content: [], usage: {} } },
    ...mixed<object>([text, ...blocks], order),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ] as JsonObject[];
};

const responsesFrames: Framed = (given, wanted, order) => {
  const items = given.map((call, output_index) => {
    const item = {
      type: 'function_call',
      id: `fc_${output_index}`,
      call_id: `c${output_index}`,
      name: nameOf(call, output_index),
    };
    const at = { output_index, item_id: item.id };
    const done = { ...item, arguments: inputOf(call), status: 'completed' };
    return {
      done,
      frames: [
        { type: 'response.output_item.added', output_index, item: { ...item, arguments: '', status: 'in_progress' } },
        ...cut(inputOf(call), wanted).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
        { type: 'response.function_call_arguments.done', ...at, arguments: inputOf(call) },
        { type: 'response.output_item.done', output_index, item: done },
      ],
    };
  });
  const response = { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
  return [
    { type: 'response.created', response },
    ...mixed<object>(
      items.map(({ frames }) => frames),
      order,
    ),
    { type: 'response.completed', response: { ...response, status: 'completed', output: items.map(({ done }) => done) } },
  ] as JsonObject[];
};

const CASES: [Protocol, Framed][] = [
  [CHAT, chatFrames],
  [MESSAGES, messagesFrames],
  [RESPONSES, responsesFrames],
];

it.each(CASES)('$id: nothing of a denied call is sent, however its stream is cut', async (protocol, framed) => {
  await fc.assert(
    fc.asyncProperty(calls, sizes, fc.array(fc.nat(5), { minLength: 1, maxLength: 12 }), async (given, wanted, order) => {
      const frames = framed(given, wanted, order) as AnswerFrame[];
      const provider = {
        protocols: [protocol.id],
        complete: () => Promise.reject(new Error('not used')),
        stream: async () => ({
          chunks: (async function* () {
            yield* structuredClone(frames);
          })(),
          unsupported: [],
        }),
      };
      const route = routeOf({ provider: provider as never, egress: [tools()] });
      const run = Object.assign(runOf(route), { protocol });
      const [endpoint] = route.endpoints;
      if (endpoint === undefined) throw new Error('no endpoint');
      const line = lineOf();
      await callLive(run, endpoint, line, ENV);
      const sent = JSON.stringify([line.frames, line.tail]);
      const isDenied = given.some((call) => call.isDenied);
      // Not one letter of it: a client puts pieces together.
      expect(sent).not.toMatch(/[QZ]/);
      const verdicts = run.events.filter(({ node }) => node === 'tools').map(({ data }) => Reflect.get(data, 'verdict'));
      expect(verdicts).toEqual([isDenied ? 'block' : 'allow']);
      if (isDenied) return;
      const gatherer = protocol.frames.gatherer();
      for (const frame of [...line.frames, ...(line.tail ?? [])]) gatherer.take(frame);
      const made = protocol.tools?.calls(gatherer.answer(), '').map(({ name, input }) => [name, JSON.parse(input)]);
      // Blocks that arrive by turns are sent in the order of their ends.
      expect(made?.toSorted()).toEqual(given.map((call, at) => [nameOf(call, at), JSON.parse(inputOf(call))]).toSorted());
    }),
    { numRuns: 60 },
  );
});
