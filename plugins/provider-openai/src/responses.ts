import type { AnswerBody, AnswerFrame, AnyProvider, CallContext, RequestBody } from '@svc/sdk';
import {
  type EventReader,
  endedEarly,
  parseAnswer,
  parseFrame,
  type SseEvent,
  TextPieces,
  type UpstreamClient,
  wellFormed,
} from '@svc/toolkit/upstream';

/** `/responses`: what is asked and answered is carried as it is. */
export function responsesCalls(client: UpstreamClient): Pick<AnyProvider, 'protocols' | 'complete' | 'stream'> {
  return {
    protocols: ['openai.responses'],

    async complete({ stream: _, ...request }: RequestBody, context: CallContext) {
      const text = await client.whole(JSON.stringify(request), context);
      return { completion: parseAnswer(text) as unknown as AnswerBody, unsupported: [] };
    },

    async stream(request: RequestBody, context: CallContext) {
      return {
        chunks: await client.stream(JSON.stringify({ ...request, stream: true }), context, new ResponseEvents()),
        unsupported: [],
      };
    },
  };
}

/** The events that end a response, and after which nothing comes. */
const LAST: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

/** The events of a response, as they come. */
class ResponseEvents implements EventReader<AnswerFrame> {
  readonly #pieces = new TextPieces();
  isEnded = false;

  take({ type, data }: SseEvent): readonly AnswerFrame[] {
    if (data === '[DONE]') throw endedEarly();
    const frame = parseFrame(data);
    if (type === 'error') frame.type ??= type;
    const { delta } = frame;
    // Half a character at the end of a piece goes with the next.
    if (typeof delta === 'string') frame.delta = this.#pieces.push(placeOf(frame), delta);
    this.isEnded = LAST.includes(frame.type);
    return [wellFormed(frame) as unknown as AnswerFrame];
  }

  end(): never {
    throw endedEarly();
  }
}

function placeOf({ type, output_index, content_index, summary_index }: Record<string, unknown>): string {
  return [type, output_index, content_index, summary_index].join(' ');
}
