import type { ChatCompletionChunk, JsonObject, JsonValue } from '@svc/sdk';
import { endedEarly, type Identity, isCount, isObject, malformed, parseJsonPiece, type SseEvent } from '@svc/toolkit/upstream';
import { checkedChunk, StreamState } from '../chat/chunk.ts';
import { Answer } from './answer.ts';
import { finishReason, headOf, usageOf } from './ending.ts';
import { failureIn } from './failure.ts';

/** Reads the events of one response, in order. */
class ResponseReader {
  readonly #answer = new Answer();
  #head: JsonObject = {};
  #hasEnded = false;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The chunks for an event, before their check. Events that add nothing to a chat answer, and unknown ones, give none. */
  framesOf(event: JsonObject): JsonObject[] {
    const { type, item, delta, response } = event;
    switch (type) {
      case 'response.created':
        this.#head = isObject(response) ? headOf(response) : {};
        return this.#frames([{ role: 'assistant' }]);
      case 'response.output_item.added':
        return isObject(item) ? this.#frames(this.#answer.item(item, indexIn(event))) : [];
      case 'response.output_text.delta':
        return this.#frames([this.#answer.text(`${indexIn(event)}.${event.content_index}`, delta)]);
      case 'response.output_text.annotation.added':
        return this.#frames([this.#answer.annotation(event.annotation)]);
      case 'response.refusal.delta':
        return this.#frames([{ refusal: delta ?? null }]);
      case 'response.reasoning_summary_text.delta':
        return this.#frames([this.#answer.thought(`${indexIn(event)}.${event.summary_index}`, delta)]);
      case 'response.reasoning_text.delta':
        return this.#frames([this.#answer.thought(`${indexIn(event)}.c${event.content_index}`, delta)]);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#frames([this.#answer.callText(indexIn(event), delta)]);
      case 'response.output_item.done':
        return isObject(item) ? this.#frames(this.#answer.ended(item)) : [];
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#end(response);
      case 'error':
        throw failureIn(isObject(event.error) ? event.error : event);
      default:
        return [];
    }
  }

  #end(response: JsonValue | undefined): JsonObject[] {
    if (!isObject(response)) throw malformed('the end of no response');
    const finish_reason = finishReason(response, this.#answer.hasCalls);
    this.#hasEnded = true;
    this.#head = headOf(response);
    const counted = usageOf(response.usage);
    const last = { ...this.#head, choices: [{ index: 0, delta: {}, finish_reason }] };
    return 'usage' in counted ? [last, { ...this.#head, choices: [], ...counted }] : [last];
  }

  #frames(deltas: readonly JsonObject[]): JsonObject[] {
    return deltas.map((delta) => ({ ...this.#head, choices: [{ index: 0, delta, finish_reason: null }] }));
  }
}

function indexIn({ output_index }: JsonObject): number {
  if (!isCount(output_index)) throw malformed('an event of no item');
  return output_index;
}

/** The chunks of a streamed response. It is complete only with its last event. */
export async function* readEvents(
  events: AsyncIterable<SseEvent>,
  identity: Identity,
): AsyncGenerator<ChatCompletionChunk, void, void> {
  const reader = new ResponseReader();
  const state = new StreamState();
  for await (const { data } of events) {
    const event = parseJsonPiece(data);
    if (!isObject(event)) throw malformed('not an object');
    for (const frame of reader.framesOf(event)) yield checkedChunk(frame, identity, state);
    if (reader.hasEnded) return;
  }
  throw endedEarly();
}
