import type { AnswerFrame, AnyProvider, Guard, JsonObject } from '@svc/contracts';
import plugin from '@svc/protocol-gemini';
import { fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callLive } from '../../kernel/runtime/src/streaming/live-call.ts';
import { lineOf, wordGuard } from '../../kernel/runtime/src/streaming/test-parts.ts';
import { ENV, nodeOf, routeOf, runOf } from '../../kernel/runtime/src/test-parts.ts';

/** Laws 1, 2 and 4 over a protocol from outside, whose last frame has a text, too. */
const { protocol } = plugin.create({}, fakePluginDeps());

/** One streamed answer of an upstream, through these guards: what left, and what left with the end. */
async function streamed(frames: readonly AnswerFrame[], guards: readonly Guard[]) {
  const provider: AnyProvider = {
    protocols: [protocol.id],
    complete: () => Promise.reject(new Error('not used')),
    stream: async () => ({ chunks: each(structuredClone(frames)), unsupported: [] }),
  };
  const route = routeOf({ provider: provider as never, egress: guards.map((guard, at) => nodeOf(`node-${at}`, guard)) });
  const [endpoint] = route.endpoints;
  if (endpoint === undefined) throw new Error('no endpoint');
  const run = { ...runOf(route), protocol, request: { model: 'r', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] } };
  const line = lineOf();
  await callLive(run as never, endpoint, line, ENV);
  return [...line.frames, ...(line.tail ?? [])] as unknown as AnswerFrame[];
}

async function* each(frames: readonly AnswerFrame[]): AsyncGenerator<AnswerFrame> {
  yield* frames;
}

function gathered(frames: readonly AnswerFrame[]): JsonObject {
  const gatherer = protocol.frames.gatherer();
  for (const frame of frames) gatherer.take(structuredClone(frame));
  const [candidate] = Object(gatherer.answer()).candidates;
  return candidate;
}

const said = fc
  .array(fc.constantFrom('secret', 'sec', 'ret', ' ', 'plain'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(''));
const part = fc.oneof(
  fc.record({ text: said }),
  fc.record({ text: said, thought: fc.constant(true) }),
  fc.record({ futureText: said }),
  fc.record({ functionCall: fc.record({ name: fc.constant('f'), args: fc.record({ a: said, n: fc.integer() }) }) }),
  fc.record({ inlineData: fc.constant({ mimeType: 'image/png', data: 'iVBORw0K' }) }),
  fc.record({ executableCode: fc.record({ language: fc.constant('PYTHON'), code: said }) }),
);
const parts: fc.Arbitrary<JsonObject[]> = fc.array(part as fc.Arbitrary<JsonObject>, { minLength: 1, maxLength: 4 });
const size = fc.integer({ min: 1, max: 7 });
const together = fc.integer({ min: 1, max: 3 });

/** The frames of an answer with its texts in pieces of this size, and so many parts in each frame. */
function framesOf(all: readonly JsonObject[], at: number, count: number): AnswerFrame[] {
  const pieces = all.flatMap((one) => cut(one, at));
  const groups = Array.from({ length: Math.ceil(pieces.length / count) }, (_, n) => pieces.slice(n * count, (n + 1) * count));
  return groups.map((group, n) => ({
    candidates: [
      { content: { parts: group, role: 'model' }, ...(n === groups.length - 1 && { finishReason: 'STOP' }), index: 0 },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
  }));
}

function cut(one: JsonObject, at: number): JsonObject[] {
  const name = ['text', 'futureText'].find((field) => typeof one[field] === 'string');
  if (name === undefined) return [one];
  const text = String(one[name]);
  return Array.from({ length: Math.ceil(text.length / at) }, (_, n) => ({ ...one, [name]: text.slice(n * at, (n + 1) * at) }));
}

it('a stream is sent as received, except the head, if guards find nothing', async () => {
  await fc.assert(
    fc.asyncProperty(parts, size, together, async (all, at, count) => {
      const frames = framesOf(all, at, count);
      const left = await streamed(frames, [wordGuard('absent', 'sanitize', 'post')]);
      expect(left.map(({ modelVersion: _, responseId: __, ...frame }) => frame)).toEqual(frames);
    }),
  );
});

it('a stream is masked like the whole answer, however it is cut; order and everything else stay', async () => {
  await fc.assert(
    fc.asyncProperty(parts, size, together, async (all, at, count) => {
      const whole = gathered(framesOf(all, 100, 1));
      const left = await streamed(framesOf(all, at, count), [wordGuard('secret', 'sanitize')]);
      expect(JSON.stringify(left)).not.toContain('secret');
      expect(withoutEmpty(gathered(left))).toEqual(
        withoutEmpty(JSON.parse(JSON.stringify(whole).replaceAll('secret', '<MASKED>'))),
      );
    }),
  );
});

/** A text that is emptied may be left out with its frame. */
function withoutEmpty({ content, ...candidate }: JsonObject): object {
  return { ...candidate, parts: (Object(content).parts as JsonObject[]).filter(({ text }) => text !== '') };
}
