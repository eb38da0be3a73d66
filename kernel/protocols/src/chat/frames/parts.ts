import {
  type AnswerFrame,
  type ChatChunkChoice,
  type ChatCompletionChunk,
  type FramePart,
  JsonCounter,
  type JsonObject,
} from '@svc/contracts';
import { isPart, JoinedParts } from './joined-parts.ts';

type Delta = ChatChunkChoice['delta'];

/** The parts of an answer, arranged as in a whole one: each choice at its index. Includes every form of a text or name that clients may see. */
export function partOf(frames: readonly AnswerFrame[]): FramePart {
  const parts = joinedIn(frames);
  const length = Math.max(...parts.keys(), -1) + 1;
  const choices = Array.from({ length }, (_, index) => {
    const { repeated = [], renamed = [] } = parts.get(index) ?? {};
    return {
      message: parts.get(index)?.fields() ?? {},
      ...(repeated.length > 0 && { repeated }),
      ...(renamed.length > 0 && { renamed: { tool_calls: renamed } }),
    };
  });
  return { path: '', value: { choices } as unknown as JsonObject };
}

/** Writes the parts of each choice, as guards edited them, into the choice's first chunk. */
export function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): AnswerFrame[] {
  const joined = joinedIn(frames);
  const messages = (value.choices as unknown as { message: Delta }[]).map(({ message }) => message);
  const left = new Map([...joined].map(([index, { indexes }]) => [index, deltaOf(messages[index] ?? {}, indexes)]));
  return frames.flatMap((frame) => {
    const choices = choicesIn(frame).flatMap((choice) => withParts(choice, left));
    return choices.length === 0 ? [] : [{ ...frame, choices }];
  });
}

function joinedIn(frames: readonly AnswerFrame[]): Map<number, JoinedParts> {
  const counter = new JsonCounter();
  const all = new Map<number, JoinedParts>();
  for (const { index, delta } of frames.flatMap(choicesIn)) {
    const parts = Object.entries(delta).filter(([field, member]) => isPart(field, member));
    if (parts.length === 0) continue;
    const known = all.get(index) ?? new JoinedParts(counter);
    all.set(index, known);
    known.take(Object.fromEntries(parts));
  }
  return all;
}

/** Puts the parts of a choice into its first chunk, and drops chunks that contained nothing else. */
function withParts(choice: ChatChunkChoice, left: Map<number, Delta>): ChatChunkChoice[] {
  const rest = Object.entries(choice.delta).filter(([field, member]) => !isPart(field, member) && member !== undefined);
  const delta = { ...Object.fromEntries(rest), ...left.get(choice.index) };
  left.delete(choice.index);
  const isEmpty = Object.keys(delta).length === 0 && choice.finish_reason == null;
  return isEmpty ? [] : [{ ...choice, delta }];
}

function deltaOf({ tool_calls, ...rest }: Delta, indexes: readonly number[]): Delta {
  if (tool_calls === undefined) return rest;
  return { ...rest, tool_calls: tool_calls.map((call, at) => ({ ...call, index: indexes[at] ?? at })) };
}

function choicesIn(frame: AnswerFrame): readonly ChatChunkChoice[] {
  return (frame as ChatCompletionChunk).choices;
}
