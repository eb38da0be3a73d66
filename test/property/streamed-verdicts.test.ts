import type { ChatCompletion, ChatCompletionChunk, ChatMessage, GuardResult, ToolCall } from '@svc/contracts';
import rules from '@svc/guard-rules';
import { CHAT } from '@svc/protocols';
import { fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PipelineRun } from '../../kernel/kernel/src/runs/pipeline-run.ts';
import type { PipelineNode } from '../../kernel/kernel/src/runs/route.ts';
import { runStage } from '../../kernel/kernel/src/runs/stage.ts';
import { callWhole } from '../../kernel/runtime/src/answers/whole-call.ts';
import { callLive } from '../../kernel/runtime/src/streaming/live-call.ts';
import { chunkOf, lineOf, streaming, USAGE } from '../../kernel/runtime/src/streaming/test-parts.ts';
import { ENV, nodeOf, providerOf, routeOf, runOf } from '../../kernel/runtime/src/test-parts.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta'] as const;
const word = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('', 'other') },
  { weight: 1, arbitrary: fc.constantFrom(...WORDS) },
);
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const calls = fc.array(fc.record({ name: word, key: word, value: text }), { maxLength: 2 });
const choice = fc.record({ content: text, reasoning: text, calls });
const choices = fc.array(choice, { minLength: 1, maxLength: 3 });
const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
type Choice = typeof choice extends fc.Arbitrary<infer C> ? C : never;
type Verdict = 'sanitize' | 'block';

/** One rule a word, in this order. */
function nodeWith(verdicts: readonly Verdict[], stream: 'window' | 'post', mode: PipelineNode['mode'] = 'enforce'): PipelineNode {
  const own = WORDS.map((name, at) => ({ name, words: [name], verdict: verdicts[at % verdicts.length] ?? 'sanitize' }));
  return nodeOf('rules', rules.create({ rules: own, stream }, fakePluginDeps()), { mode });
}

function callsOf(of: Choice, n: number): ToolCall[] {
  return of.calls.map(({ name, key, value }, at) => ({
    id: `call_${n}_${at}`,
    type: 'function',
    function: { name: `f_${name}`, arguments: JSON.stringify({ [`k ${key}`]: value }) },
  }));
}

const messageOf = (of: Choice, n: number): ChatMessage => ({
  role: 'assistant',
  content: of.content,
  reasoning: of.reasoning,
  ...(of.calls.length > 0 && { tool_calls: callsOf(of, n) }),
});

/** Pieces of all choices, one of each in turn. */
function chunksOf(given: readonly Choice[], wanted: readonly number[]): ChatCompletionChunk[] {
  const deltas = given.map((of, n) => [
    ...piecesOf(of.reasoning, wanted).map((reasoning) => ({ reasoning })),
    ...piecesOf(of.content, wanted).map((content) => ({ content })),
    ...callsOf(of, n).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ]);
  const longest = Math.max(...deltas.map(({ length }) => length));
  const chunks = Array.from({ length: longest }, (_, at) =>
    deltas.flatMap((own, index) => {
      const delta = own[at];
      return delta === undefined ? [] : [chunkOf([{ index, delta, finish_reason: null }])];
    }),
  );
  const ends = given.map((_, index) => chunkOf([{ index, delta: {}, finish_reason: 'stop' }]));
  return [...chunks.flat(), ...ends, chunkOf([], { usage: USAGE })];
}

function piecesOf(whole: string, wanted: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let rest = whole; rest !== ''; rest = rest.slice(pieces.at(-1)?.length)) {
    pieces.push(rest.slice(0, wanted[pieces.length % wanted.length]));
  }
  return pieces;
}

async function whole(node: PipelineNode, given: readonly Choice[]) {
  const answers = given.map((of, index) => ({ index, message: messageOf(of, index), finish_reason: 'stop' }));
  const head = { id: 'a', object: 'chat.completion', created: 1, model: 'm' } as const;
  const completion: ChatCompletion = { ...head, choices: answers, usage: USAGE };
  const route = routeOf({ provider: providerOf(async () => ({ completion, unsupported: [] })), egress: [node] });
  const run = runOf(route);
  await callWhole(run, endpointOf(route), ENV);
  const stop = await runStage(run, 'egress', null, () => false, ENV);
  return {
    ...saidIn(run),
    left: run.completion?.choices.map(({ message }) => seenOf(message)),
    stopped: stop && 'code' in stop ? stop.code : null,
  };
}

async function streamed(node: PipelineNode, given: readonly Choice[], wanted: readonly number[]) {
  const route = routeOf({ provider: streaming(() => chunksOf(given, wanted)).provider, egress: [node] });
  const [run, line] = [runOf(route), lineOf()];
  const end = await callLive(run, endpointOf(route), line, ENV);
  const gatherer = CHAT.frames.gatherer();
  // An answer that was stopped says so in a frame of the gateway's own.
  const sent = [...line.frames, ...((line.tail ?? []) as ChatCompletionChunk[])].filter((frame) => 'choices' in frame);
  for (const frame of sent) gatherer.take(frame);
  const { choices: left } = gatherer.answer() as ChatCompletion;
  const messageAt = (at: number): ChatMessage => left.find(({ index }) => index === at)?.message ?? { role: 'assistant' };
  return { ...saidIn(run), left: given.map((_, at) => seenOf(messageAt(at))), end };
}

function endpointOf({ endpoints: [endpoint] }: ReturnType<typeof routeOf>) {
  if (endpoint === undefined) throw new Error('no endpoint');
  return endpoint;
}

/** What the node said: its event. Findings are told in any order. */
function saidIn({ events }: PipelineRun) {
  const [judged, ...more] = events.filter(({ node }) => node === 'rules');
  if (judged === undefined || more.length > 0) throw new Error('a node is judged once');
  const { verdict, code, findings } = judged.data as Pick<GuardResult, 'verdict' | 'code' | 'findings'>;
  return { verdict, code, findings: findings.toSorted((a, b) => (a.entity_type < b.entity_type ? -1 : 1)) };
}

function seenOf({ content, reasoning, tool_calls }: ChatMessage) {
  return { content: content ?? '', reasoning: reasoning ?? '', calls: (tool_calls ?? []).map((call) => call.function) };
}

test('a masked stream has the verdict, code, findings and texts of the whole answer', async () => {
  const node = nodeWith(['sanitize'], 'window');
  await fc.assert(
    fc.asyncProperty(choices, lengths, async (given, wanted) => {
      const { stopped: _, ...expected } = await whole(node, given);
      expect(await streamed(node, given, wanted)).toMatchObject(expected);
    }),
  );
});

test.each(['enforce', 'observe'] as const)(
  'a stream judged at its end (%s) has the verdict, code and findings of the whole answer',
  async (mode) => {
    const verdicts = fc.array(fc.constantFrom<Verdict>('sanitize', 'block'), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(verdicts, choices, lengths, async (own, given, wanted) => {
        const node = nodeWith(own, 'post', mode);
        const { left: _, stopped, ...expected } = await whole(node, given);
        const { end, ...seen } = await streamed(node, given, wanted);
        expect(seen).toMatchObject(expected);
        // What the caller is told, too.
        if (stopped !== null) expect(JSON.stringify(end)).toContain(`"${stopped}"`);
      }),
    );
  },
);

test('a stream that is stopped names a rule that stops the whole answer, and the same one if only one is possible', async () => {
  const verdicts = fc.array(fc.constantFrom<Verdict>('sanitize', 'block'), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(verdicts, choices, lengths, async (own, given, wanted) => {
      const node = nodeWith(own, 'window');
      const expected = await whole(node, given);
      const seen = await streamed(node, given, wanted);
      const flowing = given.flatMap(({ content, reasoning }) => `${content} ${reasoning}`.split(' '));
      const stops = WORDS.filter((name, at) => own[at] === 'block' && flowing.includes(name));
      expect(seen.verdict).toBe(expected.verdict);
      if (stops.length > 1) expect(stops).toContain(seen.code);
      else expect(seen.code).toBe(expected.code);
      if (stops.length === 0) expect(seen.findings).toEqual(expected.findings);
    }),
  );
});
