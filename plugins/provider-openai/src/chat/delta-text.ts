import type { JsonObject } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';
import { isObject, type TextPieces } from '@svc/toolkit/upstream';

/** Fields of a delta that arrive in pieces. */
const TEXTS = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;

/** Makes the streamed texts of a delta well-formed by joining surrogate pairs across chunks. */
export function joinPieces({ index, finish_reason }: JsonObject, delta: JsonObject, pieces: TextPieces): void {
  for (const field of TEXTS) {
    const text = `${index}.${field}`;
    const piece = delta[field];
    if (typeof piece === 'string') delta[field] = pieces.push(text, piece);
    const left = finish_reason === null ? '' : pieces.end(text);
    if (left !== '') delta[field] = `${delta[field] ?? ''}${left}`;
  }
  // Half a surrogate pair at the end of arguments is dropped. Such arguments are not valid JSON anyway.
  for (const call of objectsIn(delta.tool_calls)) {
    const text = `${index}.tool_calls.${call.index}`;
    const { function: called, custom } = call;
    if (isObject(called) && typeof called.arguments === 'string') called.arguments = pieces.push(text, called.arguments);
    if (isObject(custom) && typeof custom.input === 'string') custom.input = pieces.push(text, custom.input);
  }
}
