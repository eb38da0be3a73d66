import type { ChatChunkChoice, ChatCompletion, ChatCompletionChunk, ChatMessage, ToolCall } from '@svc/contracts';
import type { PipelineRun } from '@svc/kernel';
import { runStage } from '@svc/kernel/guards';
import { CHAT } from '@svc/protocols';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callWhole } from '../answers/whole-call.ts';
import { ENV, nodeOf, providerOf, routeOf, runOf } from '../test-parts.ts';
import { rootPattern } from '../texts/field-pattern.ts';
import { revealed } from '../texts/opaque-values.ts';
import { callLive } from './live-call.ts';
import { chunkOf, lineOf, streaming, USAGE, wordGuard } from './test-parts.ts';

const WORD = 'secret';
const OUR_ID = /^[a-z0-9]{9}$/;
/** A text that the guard masks, a fixed value of the format, or some other identifier. */
const value = (...listed: string[]): fc.Arbitrary<string> => fc.constantFrom(WORD, `${WORD}-1`, 'other', ...listed);
const toolCall = fc.record({
  id: value('call_1', 'call_2'),
  type: value('function'),
  function: fc.record({ name: value('f'), arguments: fc.constantFrom('{}', '{"a":"secret","secret":[7]}', 'torn secret') }),
  extra_content: fc.record({ google: fc.record({ thought_signature: value('QUJD'), more: value('more') }) }),
});
/** A value that guards do not read. An upstream may write text in its place. */
const opaque = value('QUJD', `${WORD} in words`);
const thinkingBlock = fc.oneof(
  fc.record(
    {
      type: fc.constant('thinking'),
      thinking: fc.constantFrom('why', `why ${WORD}`, ''),
      signature: value('QUJD'),
      more: fc.constant(WORD),
    },
    { requiredKeys: ['type', 'thinking', 'signature'] },
  ),
  fc.record({ type: fc.constant('redacted_thinking'), data: opaque }),
  fc.record({ type: value('text'), text: value('text') }),
);
const reasoningDetail = fc.record(
  {
    type: value('reasoning.text', 'reasoning.encrypted'),
    text: value('why'),
    data: opaque,
    signature: opaque,
    id: value('rs_1'),
  },
  { requiredKeys: ['type'] },
);
const annotation = fc.record({ type: value('url_citation'), url_citation: fc.record({ url: value('https://x.org') }) });
const answer = fc.record({
  content: fc.constantFrom('hello', 'a secret', ''),
  tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
  annotations: fc.array(annotation, { minLength: 1, maxLength: 2 }),
  reasoning: fc.constantFrom('why', `why ${WORD}`),
  thinking_blocks: fc.array(thinkingBlock, { minLength: 1, maxLength: 3 }),
  reasoning_details: fc.array(reasoningDetail, { minLength: 1, maxLength: 2 }),
  finish_reason: value('stop', 'tool_calls'),
  service_tier: value('default'),
  system_fingerprint: value('fp_1'),
  extra: fc.constantFrom(null, WORD),
  logprobs: fc.constantFrom(null, { content: [{ token: WORD }] }),
});
type Answer = typeof answer extends fc.Arbitrary<infer A> ? A : never;

const HEAD = { id: WORD, created: 4_111_111_111_111_111, model: WORD };
const guard = nodeOf('mask', wordGuard(WORD, 'sanitize'));

async function whole({ finish_reason, logprobs, extra, ...given }: Answer) {
  const { content, tool_calls, annotations, reasoning, thinking_blocks, reasoning_details, ...fields } = given;
  const thinking = { reasoning, thinking_blocks, reasoning_details };
  const message = { role: 'assistant', content, tool_calls: tool_calls as ToolCall[], annotations, ...thinking, [WORD]: extra };
  const choices = [{ index: 0, message: message as ChatMessage, finish_reason, logprobs }];
  const completion = { ...HEAD, ...fields, object: 'chat.completion', choices, usage: USAGE, x: extra } as ChatCompletion;
  const route = routeOf({ provider: providerOf(async () => ({ completion, unsupported: [] })), egress: [guard] });
  const run = runOf(route);
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  await callWhole(run, endpoint, ENV);
  expect(await runStage(run, 'egress', null, () => false, ENV)).toBeNull();
  const { choices: left = [], ...rest } = run.completion ?? {};
  expect(JSON.stringify([left, rest, eventsOf(run)])).not.toContain(WORD);
  return { ...seenOf(left[0]?.message, left[0]?.finish_reason, rest), events: eventsOf(run) };
}

async function streamed({ finish_reason, logprobs, extra, ...given }: Answer) {
  const { content, tool_calls, annotations, reasoning, thinking_blocks, reasoning_details, ...fields } = given;
  const piece = (delta: ChatChunkChoice['delta'], more: object = {}): ChatCompletionChunk => ({
    ...chunkOf([{ index: 0, delta, finish_reason: null, ...more }], { ...HEAD, ...fields, x: extra }),
  });
  const chunks = [
    ...[...reasoning].map((text) => piece({ reasoning: text })),
    ...thinking_blocks.map((block) => piece({ thinking_blocks: [block] })),
    ...reasoning_details.map((detail, index) => piece({ reasoning_details: [{ ...detail, index }] })),
    ...[...content].map((text) => piece({ content: text })),
    ...tool_calls.map((call, index) => piece({ tool_calls: [{ index, ...call }] }, { logprobs })),
    piece({ annotations, [WORD]: extra }),
    piece({}, { finish_reason }),
    chunkOf([], { ...HEAD, usage: USAGE }),
  ];
  const route = routeOf({ provider: streaming(() => chunks).provider, egress: [guard] });
  const [run, line] = [runOf(route), lineOf()];
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  await callLive(run, endpoint, line, ENV);
  const frames = [...line.frames, ...((line.tail ?? []) as ChatCompletionChunk[])];
  expect(JSON.stringify(frames)).not.toContain(WORD);
  const gatherer = CHAT.frames.gatherer();
  for (const frame of frames) gatherer.take(frame);
  const { choices: [choice] = [], ...rest } = gatherer.answer() as ChatCompletion;
  return { ...seenOf(choice?.message, choice?.finish_reason, rest), events: eventsOf(run) };
}

/** The gateway's own ids are random, so only their places are compared. */
function seenOf(message: ChatMessage | undefined, finish_reason: unknown, rest: object) {
  const { id, created, model, service_tier, system_fingerprint, usage } = rest as Record<string, unknown>;
  const tool_calls = opened(message ?? {}).tool_calls?.map((call) => ({ ...call, id: OUR_ID.test(call.id) ? 'ours' : call.id }));
  const text = message?.content === null ? '' : message?.content;
  expect([id, model, Number(created) > HEAD.created]).toEqual(['chatcmpl-run-1', 'default', false]);
  const annotations = message?.annotations;
  const { reasoning, thinking_blocks, reasoning_details } = opened(message ?? {});
  const thinking = { reasoning, thinking_blocks, reasoning_details: withoutIndex(reasoning_details) };
  return { text, ...thinking, annotations, tool_calls, finish_reason, service_tier, system_fingerprint, usage };
}

/** Handles are encrypted anew each time, so their values are compared. */
function opened(message: Partial<ChatMessage>): Partial<ChatMessage> {
  return revealed(message, rootPattern(CHAT.answer).member('choices').items.member('message'), (handle) =>
    ENV.handles.open(handle, { principal_id: 'alice', provider: 'local', model: 'm-1', route: 'default' }),
  );
}

function withoutIndex(details: unknown): unknown {
  return (details as { index?: number }[] | undefined)?.map(({ index: _, ...rest }) => rest);
}

function eventsOf({ events }: PipelineRun): unknown {
  return events.filter(({ event_type }) => event_type === 'provider_call').map(({ data }) => data.left_out);
}

it('a streamed answer equals the whole one: fields, ids and left-out paths', async () => {
  await fc.assert(
    fc.asyncProperty(answer, async (given) => {
      const whole_answer = await whole(structuredClone(given));
      expect(await streamed(structuredClone(given))).toEqual(whole_answer);
    }),
  );
});
