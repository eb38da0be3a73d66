import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnswerFrame, AnyProvider, Guard } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { RESPONSES } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOW, ENV, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { callLive } from './live-call.ts';
import { lineOf, wordGuard } from './test-parts.ts';

const { frames: FRAMES } = RESPONSES;
if (FRAMES === null) throw new Error('no frames');
const { framesOf, gatherer, numbered } = FRAMES;

/** One upstream response, streamed through these guards. */
async function callWith(frames: readonly AnswerFrame[], guards: readonly Guard[], line = lineOf(), fields: object = {}) {
  const provider: AnyProvider = {
    protocols: ['openai.responses'],
    complete: () => Promise.reject(new Error('not used')),
    stream: async () => ({ chunks: each(structuredClone(frames)), unsupported: [] }),
  };
  const route = routeOf({ provider: provider as never, egress: guards.map((guard, at) => nodeOf(`node-${at}`, guard)) });
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  const run = { ...runOf(route), protocol: RESPONSES, request: { model: 'r', input: 'hi' }, ...fields };
  return callLive(run as never, endpoint, line, ENV);
}

/** All frames that were sent. */
async function streamed(frames: readonly AnswerFrame[], guards: readonly Guard[]): Promise<AnswerFrame[]> {
  const line = lineOf();
  await callWith(frames, guards, line);
  return [...line.frames, ...(line.tail ?? [])] as unknown as AnswerFrame[];
}

async function* each(frames: readonly AnswerFrame[]): AsyncGenerator<AnswerFrame> {
  yield* frames;
}

function outputOf(frames: readonly AnswerFrame[]): unknown {
  const answer = gatherer();
  for (const frame of frames) answer.take(frame);
  return answer.answer().output;
}

/** The frames of a response, numbered, with its texts cut into pieces of this size. */
function cut(frames: Iterable<AnswerFrame>, size: number): AnswerFrame[] {
  const all = [...frames].flatMap((frame) => {
    const { delta } = frame;
    if (typeof delta !== 'string') return [frame];
    const pieces = Array.from({ length: Math.ceil(delta.length / size) }, (_, at) => delta.slice(at * size, (at + 1) * size));
    return pieces.map((piece) => ({ ...frame, delta: piece, obfuscation: 'aB3' }));
  });
  return all.map((frame, number) => numbered(frame, number));
}

const said = fc
  .array(fc.constantFrom('secret', 'sec', 'ret', ' ', 'plain'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(''));
const item = fc.oneof(
  fc.array(said, { minLength: 1, maxLength: 2 }).map((texts) => ({
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: texts.map((text) => ({
      type: 'output_text',
      text,
      annotations: [{ type: 'url_citation', title: text }],
      logprobs: [],
    })),
  })),
  said.map((refusal) => ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'refusal', refusal }] })),
  said.map((text) => ({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text }],
    content: [{ type: 'reasoning_text', text }],
  })),
  said.map((city) => ({
    type: 'function_call',
    call_id: 'call_1',
    name: 'f',
    arguments: JSON.stringify({ city }),
    status: 'completed',
  })),
  said.map((input) => ({ type: 'custom_tool_call', call_id: 'call_2', name: 'c', input, status: 'completed' })),
  said.map((query) => ({ type: 'web_search_call', status: 'completed', action: { type: 'search', query } })),
  said.map((note) => ({ type: 'not_invented_yet', note })),
);
const response = fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => ({
  id: 'resp_run-1',
  object: 'response',
  created_at: 0,
  model: 'r',
  status: 'completed',
  incomplete_details: null,
  output: items.map((each, index) => ({ id: `item_${index}`, ...each })),
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
}));
const size = fc.integer({ min: 1, max: 7 });

/** A guard that allows everything, and the calls that it read. `declared`: what the guard says about itself. */
function reader(declared: Pick<Guard, 'reads_calls'>) {
  const read: string[][] = [];
  const { stream, ...rest } = wordGuard('unused', 'block');
  const guard: Guard = {
    ...rest,
    ...declared,
    stream: {
      capability: 'window',
      open: (ctx) => {
        const { tools } = ctx;
        const complete = () => {
          read.push((tools?.calls ?? []).map(({ name, input }) => `${name} ${input}`));
          return ALLOW;
        };
        return { push: ({ text }) => ({ release: text }), end: () => ({ release: '' }), complete, finish: () => ALLOW };
      },
    },
  };
  return { guard, read };
}

describe('calls in a streamed response', () => {
  const called = (input: string): AnswerFrame[] => {
    const output = [{ id: 'item_0', type: 'function_call', call_id: 'c', name: 'f', arguments: input, status: 'completed' }];
    return cut(framesOf({ id: 'resp_1', object: 'response', model: 'r', status: 'completed', output }), 5);
  };

  it("are seen once, with the previous guard's edits", async () => {
    const { guard, read } = reader({ reads_calls: true });
    const left = await streamed(called('{"a":"secret"}'), [wordGuard('secret', 'sanitize'), guard]);
    expect(read.flat()).toEqual(['f {"a":"<MASKED>"}']);
    expect(outputOf(left)).toMatchObject([{ arguments: '{"a":"<MASKED>"}' }]);
  });

  it('make a guard fail that reads them but does not declare this', async () => {
    const { guard, read } = reader({});
    const line = lineOf();
    expect(await callWith(called('{"a":"secret"}'), [guard], line)).toMatchObject({
      kind: 'stopped',
      stop: { code: 'SVC-NODE-001' },
    });
    expect(JSON.stringify(line.frames)).not.toContain('secret');
    expect(read).toEqual([]);
  });

  it('without text are shown only to guards that read calls', async () => {
    const frames: AnswerFrame[] = [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      { type: 'response.in_progress', response: { id: 'r', output: [{ type: 'web_search_call' }] } },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } },
    ];
    const asked = async (declared: Pick<Guard, 'reads_calls'>) => {
      const { guard, read } = reader(declared);
      await callWith(frames, [guard]);
      return read;
    };
    expect(await asked({ reads_calls: true })).toEqual([['web_search {}']]);
    expect(await asked({})).toEqual([]);
  });
});

describe('a streamed response', () => {
  it('counts its frames until the reader has taken them, including those that repeat a long text', async () => {
    const text = 'a'.repeat(10_000);
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
    const output = [{ id: 'item_0', type: 'message', role: 'assistant', status: 'completed', content }];
    const frames = cut(framesOf({ id: 'resp_1', object: 'response', model: 'r', status: 'completed', output }), 100);
    const most = async (max: number) => {
      const all = new BytesInFlight(max);
      let seen = 0;
      const write = async (): Promise<void> => {
        await nextTurn();
        seen = Math.max(seen, all.bytes);
      };
      const sink = { ready: () => undefined, write };
      const end = await callWith(frames, [], lineOf({ sink }), { bytes: all.reserve() });
      return { kind: end.kind, seen };
    };
    const { kind, seen } = await most(1_000_000);
    expect(kind).toBe('answered');
    // Only one frame is in memory at a time.
    expect(seen).toBeGreaterThan(text.length);
    expect(seen).toBeLessThan(2 * text.length);
    // Answers may take twice the limit.
    expect(await most(text.length / 4)).toMatchObject({ kind: 'stopped' });
  });

  it('is sent as received, frame by frame, where guards find nothing', async () => {
    await fc.assert(
      fc.asyncProperty(response, size, async (answer, at) => {
        const frames = cut(framesOf(answer), at);
        const left = await streamed(frames, [wordGuard('absent', 'sanitize', 'post')]);
        const { id, created_at, model } = Object(left[0]?.response);
        const identity = { id: String(id).slice('resp_'.length), created: created_at, model };
        expect(left).toEqual(frames.map((frame) => RESPONSES.withHead(frame, identity)));
      }),
    );
  });

  it('is masked like the whole response, however it is cut; repetitions of a text match it', async () => {
    await fc.assert(
      fc.asyncProperty(response, size, async (answer, at) => {
        const left = await streamed(cut(framesOf(answer), at), [wordGuard('secret', 'sanitize')]);
        expect(outputOf(left)).toEqual(JSON.parse(JSON.stringify(answer.output).replaceAll('secret', '<MASKED>')));
        expect(JSON.stringify(left)).not.toContain('secret');
        const done = left.flatMap((frame) => (frame.type === 'response.output_item.done' ? [frame.item] : []));
        expect(done).toEqual(outputOf(left));
      }),
    );
  });
});

it('an id that is masked at the start of an item is masked in every frame that names it', async () => {
  const id = 'secret';
  const item = { id, type: 'message', role: 'assistant', status: 'completed', content: [] };
  const at = { item_id: id, output_index: 0, content_index: 0 };
  const response = { id: 'r', object: 'response', status: 'completed', output: [] };
  const left = await streamed(
    [
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', ...at, delta: 'a' },
      { type: 'response.output_text.delta', ...at, delta: 'b' },
      { type: 'response.secret.delta', ...at, note: 'secret', delta: 'c' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', item_id: id, response },
    ],
    [wordGuard('secret', 'sanitize')],
  );
  expect(left.filter(({ item_id }) => item_id === '<MASKED>').length).toBeGreaterThan(0);
  expect(JSON.stringify(left)).not.toContain('secret');
});
