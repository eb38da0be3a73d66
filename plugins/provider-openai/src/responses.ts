import type { CallContext, JsonObject } from '@svc/sdk';
import { type AnswerBody, type AnswerFrame, objectsIn, type RequestBody } from '@svc/sdk/protocol';
import type { AnyProvider } from '@svc/sdk/provider';
import {
  type EventReader,
  endedEarly,
  isObject,
  parseAnswer,
  parseFrame,
  type SseEvent,
  TextPieces,
  type UpstreamClient,
  wellFormed,
} from '@svc/toolkit/upstream';
import { writeArguments } from './chat/call-arguments.ts';

/** `/responses`. Passes bodies on unconverted. */
export function responsesCalls(client: UpstreamClient): Pick<AnyProvider, 'protocols' | 'complete' | 'stream'> {
  return {
    protocols: ['openai.responses'],

    async complete({ stream: _, ...request }: RequestBody, context: CallContext) {
      const text = await client.whole(JSON.stringify(request), context);
      const answer = parseAnswer(text);
      if (isObject(answer)) writeAllArguments(answer);
      return { completion: answer as unknown as AnswerBody, unsupported: [] };
    },

    async stream(request: RequestBody, context: CallContext) {
      return {
        chunks: await client.stream(JSON.stringify({ ...request, stream: true }), context, new ResponseEvents()),
        unsupported: [],
      };
    },
  };
}

/** The events that end a response. */
const LAST: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

/** Reads the events of a response as they arrive. */
class ResponseEvents implements EventReader<AnswerFrame> {
  readonly #pieces = new TextPieces();
  isEnded = false;

  take({ type, data }: SseEvent): readonly AnswerFrame[] {
    if (data === '[DONE]') throw endedEarly();
    const frame = parseFrame(data);
    if (type !== 'message') frame.type ??= type;
    if (typeof frame.type !== 'string' && frame.error == null) return [];
    const { delta, item, response } = frame;
    writeArguments(frame);
    if (isObject(item)) writeArguments(item);
    if (isObject(response)) writeAllArguments(response);
    // Moves half a character at the end of a piece to the next piece.
    if (typeof delta === 'string') frame.delta = this.#pieces.push(placeOf(frame), delta);
    this.isEnded = LAST.includes(frame.type);
    return [wellFormed(frame) as unknown as AnswerFrame];
  }

  end(): never {
    throw endedEarly();
  }
}

function writeAllArguments({ output }: JsonObject): void {
  for (const item of objectsIn(output)) writeArguments(item);
}

function placeOf({ type, output_index, content_index, summary_index }: Record<string, unknown>): string {
  return [type, output_index, content_index, summary_index].join(' ');
}
