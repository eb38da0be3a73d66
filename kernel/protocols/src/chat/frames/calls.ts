import {
  type AnswerFrame,
  type ChatChunkChoice,
  type ChatCompletionChunk,
  type FramePart,
  JsonCounter,
  type JsonObject,
  type ToolCall,
} from '@svc/contracts';
import { JoinedCalls } from './joined-calls.ts';

interface Calls {
  readonly tool_calls?: ToolCall[];
  readonly function_call?: unknown;
}
type CallPieces = Pick<ChatChunkChoice['delta'], 'tool_calls'> & { function_call?: unknown };

/** The calls of an answer, as they stand in a whole one: each choice at its index. Guards see what is said again as it may be joined. */
export function partOf(frames: readonly AnswerFrame[]): FramePart {
  const calls = joinedIn(frames);
  const length = Math.max(...calls.keys(), -1) + 1;
  const choices = Array.from({ length }, (_, index) => {
    const { repeated = [] } = calls.get(index) ?? {};
    return { message: calls.get(index)?.fields() ?? {}, ...(repeated.length > 0 && { repeated }) };
  });
  // As it came from JSON.
  return { path: '', value: { choices } as unknown as JsonObject };
}

/** The same chunks with each choice's calls, which were edited, at once. */
export function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): AnswerFrame[] {
  const joined = joinedIn(frames);
  const messages = (value.choices as unknown as { message: Calls }[]).map(({ message }) => message);
  const left = new Map([...joined].map(([index, { indexes }]) => [index, deltaOf(messages[index] ?? {}, indexes)]));
  return frames.flatMap((frame) => {
    const choices = choicesIn(frame).flatMap((choice) => withCalls(choice, left));
    return choices.length === 0 ? [] : [{ ...frame, choices }];
  });
}

function joinedIn(frames: readonly AnswerFrame[]): Map<number, JoinedCalls> {
  const counter = new JsonCounter();
  const calls = new Map<number, JoinedCalls>();
  for (const { index, delta } of frames.flatMap(choicesIn)) {
    if (!('tool_calls' in delta || 'function_call' in delta)) continue;
    const known = calls.get(index) ?? new JoinedCalls(counter);
    calls.set(index, known);
    known.take(delta);
  }
  return calls;
}

/** The first chunk of a choice gets its calls; one that had nothing else is left out. */
function withCalls(choice: ChatChunkChoice, left: Map<number, CallPieces>): ChatChunkChoice[] {
  const { tool_calls: _, function_call: __, ...delta } = choice.delta;
  const calls = left.get(choice.index) ?? {};
  left.delete(choice.index);
  const sent = { ...delta, ...calls };
  const isEmpty = Object.keys(sent).length === 0 && choice.finish_reason == null;
  return isEmpty ? [] : [{ ...choice, delta: sent }];
}

function deltaOf({ tool_calls, ...rest }: Calls, indexes: readonly number[]): CallPieces {
  if (tool_calls === undefined) return rest;
  return { ...rest, tool_calls: tool_calls.map((call, at) => ({ ...call, index: indexes[at] ?? at })) };
}

function choicesIn(frame: AnswerFrame): readonly ChatChunkChoice[] {
  return (frame as ChatCompletionChunk).choices;
}
