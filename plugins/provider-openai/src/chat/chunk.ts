import { type ChatCompletionChunk, type JsonObject, type JsonValue, ProviderError } from '@svc/sdk';
import {
  type Identity,
  isObject,
  kindOfStatus,
  malformed,
  parseJsonPiece,
  type SseEvent,
  type TextPieces,
  wellFormed,
} from '@svc/toolkit/upstream';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CallPlaces } from './call-places.ts';
import { mendCommonFields } from './common-fields.ts';
import { joinPieces } from './delta-text.ts';
import { dropNulls, objectsIn } from './json-shapes.ts';

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

function mendChoice(choice: JsonObject, pieces: TextPieces, places: CallPlaces): void {
  choice.index ??= 0;
  // An index becomes part of each piece's path, so a list in its place would be repeated as often.
  if (typeof choice.index !== 'number') throw malformed('a choice whose index is no number');
  choice.finish_reason ??= null;
  choice.delta ??= {};
  if (!isObject(choice.delta)) return;
  dropNulls(choice.delta, ['role', 'tool_calls']);
  for (const call of objectsIn(choice.delta.tool_calls)) {
    places.number(choice.index, call);
    if (typeof call.index !== 'number') throw malformed('a tool call whose index is no number');
    dropNulls(call, ['id', 'type', 'function']);
    if (isObject(call.function)) dropNulls(call.function, ['name', 'arguments']);
  }
  joinPieces(choice, choice.delta, pieces);
}

/** An error that an upstream reports inside a stream. Its number, if any, is an HTTP status. */
function reportedError(error: JsonValue | undefined): ProviderError {
  const status = isObject(error) ? error.code : undefined;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) {
    return new ProviderError('unavailable', { cause: 'an error inside the stream' });
  }
  return new ProviderError(kindOfStatus(status), { status, cause: 'an error inside the stream' });
}

/**
 * Reads one event of a stream.
 * @param pieces of this stream: holds half surrogate pairs between events
 * @param places of this stream: counts its tool calls
 * @throws {ProviderError} `malformed`, or what the upstream reports in an `error` frame
 */
export function readChunk(
  event: SseEvent,
  identity: Identity,
  pieces: TextPieces,
  places = new CallPlaces(),
): ChatCompletionChunk {
  if (event.type === 'error') throw reportedError(undefined);
  const frame = parseJsonPiece(event.data);
  if (!isObject(frame)) throw malformed('not an object');
  if (frame.error !== undefined && frame.error !== null) throw reportedError(frame.error);
  if (frame.object === 'error') throw reportedError(frame);
  return checkedChunk(frame, identity, pieces, places);
}

/**
 * The same object as a chunk, with the fields filled in that servers leave out.
 * @param pieces see {@link readChunk}, as for `places`
 * @throws {ProviderError} `malformed`
 */
export function checkedChunk(
  frame: JsonObject,
  identity: Identity,
  pieces: TextPieces,
  places = new CallPlaces(),
): ChatCompletionChunk {
  mendCommonFields(frame, 'chat.completion.chunk', identity);
  // The chunk that carries usage may come without choices.
  if (frame.usage !== undefined) frame.choices ??= [];
  for (const choice of objectsIn(frame.choices)) mendChoice(choice, pieces, places);
  const chunk: unknown = wellFormed(frame);
  if (!Chunk.Check(chunk)) throw malformed('not a chat completion chunk');
  return chunk;
}
