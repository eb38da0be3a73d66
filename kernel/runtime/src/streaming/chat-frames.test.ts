import type { ChatChunkChoice, ChatCompletionChunk, Guard, GuardStream } from '@svc/contracts';
import { expect, it } from 'vitest';
import { call } from './test-live-call.ts';
import { chunkOf, endChunk, lineOf, textOf, wordGuard } from './test-parts.ts';

/** The guard's word. It arrives in two pieces, which clients join. */
const WORD = 'top secret';
const END = endChunk();

const chunk = (delta: object, more: Partial<ChatChunkChoice> = {}): ChatCompletionChunk =>
  chunkOf([{ index: 0, delta: delta as ChatChunkChoice['delta'], finish_reason: null, ...more }]);
/** Two frames of the same form, each with half of the text. */
const halves = (form: (text: string) => object): ChatCompletionChunk[] => [
  chunk(form('the top ')),
  chunk(form('secret is')),
  END,
];
const called = (text: string, more: object = {}) => ({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: text }, ...more }],
});
const thought = (fields: object) => ({ thinking_blocks: [fields] });
const detail = (fields: object) => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] });

async function through(chunks: readonly ChatCompletionChunk[], ...guards: readonly Guard[]) {
  const { end, run, line } = await call(() => structuredClone(chunks), guards, lineOf({ keep: true }));
  const left = [...line.frames, ...(line.tail ?? [])] as ChatCompletionChunk[];
  return { end, left, kept: run.completion, joined: joined(left) };
}
const masking = () => wordGuard(WORD, 'sanitize');

/** Joins frames as OpenAI's clients do: strings are concatenated, and items of lists are matched by their index. */
function joined(left: readonly Partial<ChatCompletionChunk>[]): string[] {
  const texts = new Map<string, string>();
  const put = (value: unknown, name: string): void => {
    if (typeof value === 'string') texts.set(name, (texts.get(name) ?? '') + value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value))
      if (key !== 'type') put(member, `${name}/${Array.isArray(value) ? (Object(member).index ?? key) : key}`);
  };
  for (const { index, delta } of left.flatMap(({ choices }) => choices ?? [])) put(delta, String(index));
  return [...texts.values()];
}

it.each<[where: string, chunks: ChatCompletionChunk[]]>([
  ['behind a reason for the end', [chunk({ content: 'the top ' }), END, chunk({ content: 'secret is' }), END]],
  [
    'with a reason for the end in each chunk',
    ['the top ', 'secret is'].map((content) => chunk({ content }, { finish_reason: 'stop' })),
  ],
  [
    'with an empty reason in each chunk',
    [...['the top ', 'secret is'].map((content) => chunk({ content }, { finish_reason: '' })), END],
  ],
  [
    'while another choice goes on',
    [chunk({ content: 'the top ' }), chunk({ content: 'x' }, { index: 1 }), END, chunk({ content: 'secret is' }), endChunk(1)],
  ],
  [
    'behind usage',
    [
      chunk({ content: 'the top ' }),
      END,
      chunkOf([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
      chunk({ content: 'secret is' }),
    ],
  ],
  ['of a call, behind a reason for the end', [chunk(called('"the top ')), END, chunk(called('secret is"')), END]],
  [
    'of a call, with a reason for the end',
    ['"the top ', 'secret is"'].map((text) => chunk(called(text), { finish_reason: 'tool_calls' })),
  ],
  ['in numbered annotations', halves((title) => ({ annotations: [{ index: 0, title }] }))],
  ['in annotations that are no list', halves((title) => ({ annotations: { title } }))],
  ['in audio', halves((note) => ({ audio: { id: 'a', note } }))],
  ['in thinking without a type', halves((thinking) => thought({ thinking }))],
  ['in another field of thinking', halves((note) => thought({ type: 'thinking', thinking: 'x', note }))],
  ['in another field of a detail', halves((note) => detail({ text: 'x', note }))],
  [
    'in a detail whose type a guard masks',
    ['the top ', 'secret is'].map((text) => chunk({ reasoning_details: [{ type: WORD, index: 0, text }] })).concat(END),
  ],
  [
    'in numbered items by turns',
    [
      chunk({ list: [{ index: 1, text: 'the top ' }] }),
      chunk({
        list: [
          { index: 0, text: 'a' },
          { index: 1, text: 'secret is' },
        ],
      }),
      END,
    ],
  ],
])('words in pieces leave masked %s', async (_where, chunks) => {
  const { end, joined: texts, kept } = await through(chunks, masking());
  expect(end).toEqual({ kind: 'answered' });
  expect(texts.join('\n')).toMatch(/the <MASKED> is/);
  expect(JSON.stringify(kept)).not.toContain(WORD);
  const blocked = await through(chunks, wordGuard(WORD, 'block'));
  expect(blocked.end).toMatchObject({ kind: 'stopped' });
  expect(blocked.joined.join('\n')).not.toContain(WORD);
});

it.each([
  ['keys with dots', [{ 'a.b': 'one ' }, { a: { b: 'x' } }, { 'a.b': 'two' }]],
  ['keys that are numbers', [{ a: { 0: 'one ' } }, { b: ['x'] }, { a: { 0: 'two' } }]],
  [
    'keys like a path',
    [{ 'thinking_blocks.0.thinking': 'one ' }, thought({ thinking: 'x' }), { 'thinking_blocks.0.thinking': 'two' }],
  ],
])('guards see texts separately if clients do: %s', async (_what, deltas) => {
  const seen = new Map<string, string>();
  const guard = wordGuard(WORD, 'sanitize');
  const stream = guard.stream as NonNullable<Guard['stream']>;
  const open: NonNullable<Guard['stream']>['open'] = (ctx) => {
    const own: GuardStream = stream.open(ctx);
    return {
      push: (piece) => {
        seen.set(piece.path, (seen.get(piece.path) ?? '') + piece.text);
        return own.push(piece);
      },
      end: (channel) => own.end(channel),
      complete: (segments) => {
        for (const { path, text, kind } of segments) if (kind === 'text') seen.set(`${path} whole`, text);
        return own.complete(segments);
      },
      finish: () => own.finish(),
    };
  };
  await through([...deltas.map((delta) => chunk(delta)), END], { ...guard, stream: { ...stream, open } });
  expect([...seen.values()].sort()).toEqual(['one two', 'x']);
});

it('a text under a masked key leaves under the masked key', async () => {
  const { left, joined: texts } = await through([chunk({ a: { [WORD]: 'hello to' } }), END], masking());
  expect(JSON.stringify(left)).not.toContain(WORD);
  expect(texts).toEqual(['hello to']);
});

it('keys that are masked to the same name do not return', async () => {
  const guard = wordGuard('top (?:one|two)', 'sanitize');
  const masked: Guard = {
    ...guard,
    check: () => ({ verdict: 'allow', code: 'fine', edits: [], findings: [] }),
    stream: {
      capability: 'window',
      open: () => ({
        push: ({ text }) => ({ release: text }),
        end: () => ({ release: '' }),
        complete: (segments) => {
          const found = segments.filter(({ text }) => text.startsWith('top '));
          const edits = found.map(({ index, text }) => ({ segment: index, start: 0, end: text.length, replacement: 'X' }));
          return { verdict: edits.length > 0 ? 'sanitize' : 'allow', code: 'x', edits, findings: [] };
        },
        finish: () => ({ verdict: 'allow', code: 'fine', edits: [], findings: [] }),
      }),
    },
  };
  const { end, left } = await through([chunk({ a: { 'top one': 'x', 'top two': 'y', n: 1 } }), END], masked);
  expect(end).toEqual({ kind: 'answered' });
  expect(left[0]?.choices[0]?.delta).toEqual({ a: { X: 'y', n: 1 } });
});

it('a type identifies a value, and is not a piece of a text', async () => {
  const chunks = ['a ', 'b'].map((text) => chunk({ note: { type: 'summary', text } }));
  const { left } = await through([...chunks, END], masking());
  const notes = left.flatMap(({ choices }) => choices.map(({ delta }) => delta.note)).filter((note) => note !== undefined);
  expect(notes.map((note) => Object(note).type)).toEqual(notes.map(() => 'summary'));
});

it('a message that repeats the pieces is left out and named', async () => {
  const said = (content: string, before: string) =>
    chunk({ content }, { message: { role: 'assistant', content: before + content } } as object);
  const { left } = await through([said('the top ', ''), said('secret is', 'the top '), END], masking());
  expect(JSON.stringify(left)).not.toContain('top ');
  expect(textOf(left)).toBe('the <MASKED> is');
});

it('the content of a call at the end is sent before usage', async () => {
  const chunks = [
    chunk(called('{}'), { finish_reason: 'tool_calls' }),
    chunkOf([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
  ];
  const { left } = await through(chunks, masking());
  expect(left.map(({ choices }) => choices.length)).toEqual([1, 0]);
});

it('calls whose JSON cannot be scanned fail as in a whole answer', async () => {
  const much = () => chunk({ tool_calls: [{ index: 0, list: Array.from({ length: 60_000 }, (_, n) => [n]) }] });
  const { end } = await through([chunk(called('{}')), much(), much(), END], masking());
  expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'malformed' } });
});

it('a repeated name is seen in the way in which clients join it', async () => {
  const named = (name: string) => chunk({ tool_calls: [{ index: 0, id: 'c', function: { name } }] });
  const chunks = [named('bon'), named('bon'), END];
  expect((await through(chunks, wordGuard('bonbon', 'block'))).end).toMatchObject({ kind: 'stopped' });
  expect((await through(chunks, wordGuard('bonbon', 'sanitize'))).joined).toContain('bon');
  expect((await through(chunks, wordGuard('bons', 'sanitize'))).left.slice(0, 2).map(({ choices }) => choices)).toEqual(
    chunks.slice(0, 2).map(({ choices }) => choices),
  );
});

it.each([
  ['a field that the gateway writes', { created: WORD }],
  ['a field whose values are fixed', { service_tier: 'default' }],
])('a text that guards do not see in %s is seen in another field', async (_where, fields) => {
  const [text] = Object.values(fields) as [string];
  const first = { ...chunk({ content: 'a' }), ...fields } as ChatCompletionChunk;
  const { left, kept } = await through([first, { ...END, item_id: text } as ChatCompletionChunk], wordGuard(text, 'sanitize'));
  const ids = left.map((frame) => Reflect.get(frame, 'item_id')).filter((id) => id !== undefined);
  expect([...ids, Object(kept).item_id]).toEqual(['<MASKED>', '<MASKED>']);
});

it('content after the finish reason keeps its order without guards', async () => {
  const chunks = [chunk({ content: 'a' }, { finish_reason: 'stop' }), chunk({ content: 'b' }), END];
  const { left } = await through(chunks);
  expect(left.slice(0, 3).map(({ choices }) => choices)).toEqual(chunks.map(({ choices }) => choices));
});

it('audio that arrives with the end and continues is kept', async () => {
  const said = (transcript: string) => chunk({ audio: { id: 'a', transcript } }, { finish_reason: 'stop' });
  const { end, kept } = await through([said('a'), said('b')], masking());
  expect(end).toEqual({ kind: 'answered' });
  expect(kept).toMatchObject({ choices: [{ message: { audio: { id: 'a', transcript: 'ab' } } }] });
});

it('guards do not read the index of a call as a number', async () => {
  const { end } = await through([chunk({ tool_calls: [{ index: 4_111_111_111_111_111, id: 'c' }] }), END]);
  expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'malformed' } });
});

it('thinking beyond the limit of handles stays unreadable', async () => {
  const blocks = Array.from({ length: 1_002 }, (_, at) => ({
    type: 'thinking',
    thinking: at === 1_000 ? 'the top ' : at === 1_001 ? 'secret is' : 'x',
    signature: 'QUJD',
  }));
  const { left } = await through([...blocks.map((block) => chunk(thought(block))), END], masking());
  const signatures = left.flatMap(({ choices }) => choices.map(({ delta }) => Object(delta.thinking_blocks)[0]?.signature));
  expect(signatures.filter((signature) => signature === '')).toEqual([]);
});

it.each<[why: string, guard: () => Guard]>([
  ['changes and holds nothing', () => wordGuard('absent', 'sanitize', 'post')],
  ['holds some', () => wordGuard('absent', 'sanitize')],
  ['changes some', () => wordGuard('2', 'sanitize')],
])('text that arrives together keeps its order, even beside calls and other choices, if a guard %s', async (_why, guard) => {
  const chunks = [
    chunk({ role: 'assistant', content: '1' }),
    chunk({ content: '2', reasoning_content: 'a' }),
    chunk({ ...called('{}'), content: '3' }),
    chunk({ content: '4' }, { index: 1 }),
    chunk({ content: '5', reasoning_content: 'b' }),
    chunk({ content: '6' }),
    endChunk(1),
    chunk({ content: '7' }),
    END,
  ];
  const texts = joined((await through(chunks, guard())).left).map((text) => text.replace('<MASKED>', '2'));
  expect(texts.toSorted()).toEqual(['123567', '4', 'ab', 'assistant', 'c', 'f', '{}'].toSorted());
});
