import { type AnswerFrame, type FrameEnding, isObject, type JsonObject, type TokenUsage } from '@svc/contracts';
import { nameIn, objectsIn } from '../../common/json-shapes.ts';
import { withUsage } from '../answer.ts';
import { formOfPart } from './events.ts';
import { GrowingOutput } from './growing-output.ts';
import { framesOfItem } from './whole-frames.ts';

/** Ends a response early, after some of its frames were sent. The status is `completed`, because clients retry an incomplete response. */
export class ResponseEnding implements FrameEnding {
  readonly #output = new GrowingOutput();
  #response: JsonObject = {};
  #hasText = false;

  get held(): number {
    return this.#output.held;
  }

  take(frame: AnswerFrame): void {
    if (isObject(frame.response)) this.#response = frame.response;
    this.#hasText ||= frame.type === 'response.output_text.delta';
    this.#output.take(frame);
  }

  *frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame> {
    const output: JsonObject[] = [];
    for (const { index, item, isOpen } of this.#output.items) {
      const ended = isOpen && 'status' in item ? { ...item, status: 'completed' } : item;
      if (isOpen) yield* endOf(ended, index);
      output.push(ended);
    }
    const index = (this.#output.items.at(-1)?.index ?? -1) + 1;
    // Starts a new paragraph if text was sent before.
    const said = this.#hasText ? `\n\n${text}` : text;
    const part =
      as === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text: said, annotations: [], logprobs: [] };
    const id = `msg_${nameIn(this.#response.id).replace(/^resp_/, '')}_${index}`;
    const message = { id, type: 'message', role: 'assistant', status: 'completed', content: [part] };
    yield* framesOfItem(message, index);
    const ended = { ...this.#response, status: 'completed', output: [...output, message] };
    yield { type: 'response.completed', response: withUsage(ended, usage) };
  }
}

/** The last frames of an item whose last text is still open. */
function* endOf(item: JsonObject, output_index: number): Generator<AnswerFrame> {
  const at = { ...(typeof item.id === 'string' && { item_id: item.id }), output_index };
  for (const list of ['summary', 'content'] as const) {
    const parts = objectsIn(item[list]);
    const part = parts.at(-1);
    const form = formOfPart(part?.type);
    if (part === undefined || form === undefined) continue;
    const place = { ...at, [form.index]: parts.length - 1 };
    yield { type: `${form.events}.done`, ...place, [form.field]: part[form.field] };
    const name = list === 'summary' ? 'response.reasoning_summary_part' : 'response.content_part';
    yield { type: `${name}.done`, ...place, part };
  }
  yield { type: 'response.output_item.done', output_index, item };
}
