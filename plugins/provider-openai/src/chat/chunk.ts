import type { ChatCompletionChunk, JsonObject } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';
import {
  type Identity,
  isObject,
  malformed,
  parseJsonPiece,
  reportedError,
  type SseEvent,
  TextPieces,
  wellFormed,
} from '@svc/toolkit/upstream';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { writeArguments } from './call-arguments.ts';
import { repairCommonFields } from './common-fields.ts';
import { joinContentParts } from './content-parts.ts';
import { joinPieces } from './delta-text.ts';
import { dropNulls } from './drop-nulls.ts';
import { ToolCallIndexes } from './tool-call-index.ts';

const ToolCallDelta = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  function: Type.Optional(Type.Object({ name: Type.Optional(Type.String()), arguments: Type.Optional(Type.String()) })),
});

const Chunk = Compile(
  Type.Object({
    id: Type.String(),
    object: Type.Literal('chat.completion.chunk'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        delta: Type.Object({
          role: Type.Optional(Type.String()),
          content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          tool_calls: Type.Optional(Type.Array(ToolCallDelta)),
        }),
        finish_reason: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  }),
);

/** State kept between the chunks of a stream. */
export class StreamState {
  /** Joins surrogate pairs split between pieces. */
  readonly pieces = new TextPieces();
  readonly #calls = new Map<number, ToolCallIndexes>();

  callsOf(choice: number): ToolCallIndexes {
    const calls = this.#calls.get(choice) ?? new ToolCallIndexes();
    this.#calls.set(choice, calls);
    return calls;
  }
}

function repairChoice(choice: JsonObject, state: StreamState): void {
  if (isObject(choice.error)) throw reportedError(choice.error);
  choice.index ??= 0;
  // The index must be a number, because it becomes part of each piece's path: a long list would be copied with every piece.
  if (typeof choice.index !== 'number') throw malformed('a choice whose index is not a number');
  // Some servers send an empty reason until the answer ends.
  choice.finish_reason ||= null;
  choice.delta ??= {};
  if (!isObject(choice.delta)) return;
  dropNulls(choice.delta, ['role', 'tool_calls']);
  joinContentParts(choice.delta);
  for (const call of objectsIn(choice.delta.tool_calls)) {
    dropNulls(call, ['index', 'id', 'type', 'function']);
    if (call.index !== undefined && typeof call.index !== 'number') throw malformed('a tool call whose index is not a number');
    state.callsOf(choice.index).set(call);
    if (!isObject(call.function)) continue;
    dropNulls(call.function, ['name', 'arguments']);
    writeArguments(call.function);
  }
  joinPieces(choice, choice.delta, state.pieces);
}

/**
 * Reads an event of a stream. Null if the event is not part of the answer, such as `{}` or `{"type":"ping"}`.
 * @param state state of this stream
 * @throws {ProviderError} the error that the upstream reports in an `error` frame, or `malformed`
 */
export function readChunk(event: SseEvent, identity: Identity, state: StreamState): ChatCompletionChunk | null {
  const frame = parseJsonPiece(event.data);
  if (!isObject(frame)) throw event.type === 'error' ? reportedError(undefined) : malformed('not an object');
  if (frame.error !== undefined && frame.error !== null) throw reportedError(frame.error);
  if (frame.object === 'error' || event.type === 'error') throw reportedError(frame);
  const isChunk = frame.choices != null || frame.usage !== undefined || frame.object === 'chat.completion.chunk';
  return isChunk ? checkedChunk(frame, identity, state) : null;
}

/**
 * Turns the object into a chunk by adding fields that servers omit.
 * @param state see {@link readChunk}
 * @throws {ProviderError} `malformed`
 */
function checkedChunk(frame: JsonObject, identity: Identity, state: StreamState): ChatCompletionChunk {
  repairCommonFields(frame, 'chat.completion.chunk', identity);
  // The chunk with usage may have no choices.
  frame.choices ??= [];
  for (const choice of objectsIn(frame.choices)) repairChoice(choice, state);
  const chunk: unknown = wellFormed(frame);
  if (!Chunk.Check(chunk)) throw malformed('not a chat completion chunk');
  return chunk;
}
