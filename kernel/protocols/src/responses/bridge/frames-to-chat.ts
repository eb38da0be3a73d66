import { type AnswerFrame, type AnswerIdentity, type ChatCompletionChunk, type FrameBridge, isObject } from '@svc/contracts';
import { usageToChat } from '../../chat/usage.ts';
import { isCount } from '../../common/count.ts';
import { numberIn, objectsIn } from '../../common/json-shapes.ts';
import { TextPieces } from '../../common/text-pieces.ts';
import { endedEarly, malformed } from '../../upstream-error/index.ts';
import { finishOf, statusAtEnd } from '../answer.ts';
import { failureIn } from '../failure.ts';
import { type Delta, OutputToChat } from './output-to-chat.ts';

/** Converts the frames of a response to chunks of a chat answer. The answer is complete only after the last frame. */
export class FramesToChat implements FrameBridge<AnswerFrame, ChatCompletionChunk> {
  readonly #head: AnswerIdentity;
  readonly #output = new OutputToChat();
  /** Joins surrogate pairs split between pieces. */
  readonly #pieces = new TextPieces();
  /** A unique position for each item, by the upstream's index. */
  readonly #places = new Map<number, number>();
  readonly #used = new Set<number>();
  #hasEnded = false;

  constructor(head: AnswerIdentity) {
    this.#head = head;
  }

  get held(): number {
    return this.#output.held;
  }

  /** Returns nothing for unknown frames and for frames that add nothing to a chat answer. */
  take(frame: AnswerFrame): readonly ChatCompletionChunk[] {
    if (this.#hasEnded) return [];
    const { type, error, response } = frame;
    switch (type) {
      case 'response.created':
        return [this.#chunk({ role: 'assistant' })];
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(type, response);
      case 'response.failed':
        throw failureIn(isObject(response) ? response.error : undefined);
      case 'error':
        throw failureIn(isObject(error) ? error : frame);
      default:
        if (type === undefined && error != null) throw failureIn(error);
        return this.#deltasOf(frame).map((delta) => this.#chunk(this.#wellFormed(delta)));
    }
  }

  end(): readonly ChatCompletionChunk[] {
    if (!this.#hasEnded) throw endedEarly();
    return [];
  }

  #deltasOf(frame: AnswerFrame): Delta[] {
    const { type, item, delta, part, content_index, summary_index } = frame;
    const output = this.#output;
    switch (type) {
      case 'response.output_item.added':
        return isObject(item) ? output.begin(item, this.#newItemOf(frame)) : [];
      case 'response.output_item.done':
        return isObject(item) ? output.end(item, this.#itemOf(frame)) : [];
      case 'response.output_text.delta':
        return [output.text(this.#itemOf(frame), numberIn(content_index), delta)];
      case 'response.output_text.done':
        return output.textDone(this.#itemOf(frame), numberIn(content_index), frame.text);
      case 'response.output_text.annotation.added':
        return [output.annotation(this.#itemOf(frame), numberIn(content_index), frame.annotation)];
      case 'response.refusal.delta':
        return [output.refusal(this.#itemOf(frame), numberIn(content_index), delta)];
      case 'response.refusal.done':
        return output.refusalDone(this.#itemOf(frame), numberIn(content_index), frame.refusal);
      case 'response.reasoning_summary_text.delta':
        return [output.thought(this.#itemOf(frame), `s${numberIn(summary_index)}`, delta)];
      case 'response.reasoning_summary_text.done':
        return output.thoughtDone(this.#itemOf(frame), `s${numberIn(summary_index)}`, frame.text);
      case 'response.reasoning_text.delta':
        return [output.thought(this.#itemOf(frame), `c${numberIn(content_index)}`, delta)];
      case 'response.reasoning_text.done':
        return output.thoughtDone(this.#itemOf(frame), `c${numberIn(content_index)}`, frame.text);
      case 'response.content_part.done':
        return isObject(part) && part.type === 'output_text'
          ? output.textDone(this.#itemOf(frame), numberIn(content_index), part.text)
          : [];
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return [output.callText(this.#itemOf(frame), delta)];
      case 'response.function_call_arguments.done':
        return output.callDone(this.#itemOf(frame), frame.arguments);
      case 'response.custom_tool_call_input.done':
        return output.callDone(this.#itemOf(frame), frame.input);
      default:
        return [];
    }
  }

  #end(type: string, response: unknown): ChatCompletionChunk[] {
    if (!isObject(response)) throw malformed('an end without a response');
    const rest = this.#output.finish(objectsIn(response.output)).map((delta) => this.#chunk(this.#wellFormed(delta)));
    this.#hasEnded = true;
    const finish_reason = finishOf(statusAtEnd(type, response), response.incomplete_details, this.#output.hasCalls);
    const { lost } = this.#output;
    const last = { ...this.#chunk(this.#halves(), finish_reason), ...(lost.length > 0 && { svc_left_out: lost }) };
    const usage = usageToChat(response.usage);
    return usage === undefined ? [...rest, last] : [...rest, last, { ...last, choices: [], usage }];
  }

  #chunk(delta: Delta, finish_reason: string | null = null): ChatCompletionChunk {
    const { id, created, model } = this.#head;
    return { id, object: 'chat.completion.chunk', created, model, choices: [{ index: 0, delta, finish_reason }] };
  }

  #itemOf(frame: AnswerFrame): number {
    const index = indexIn(frame);
    return this.#places.get(index) ?? index;
  }

  /** Some upstreams give every item the same index. */
  #newItemOf(frame: AnswerFrame): number {
    const index = indexIn(frame);
    const place = this.#used.has(index) ? Math.max(...this.#used) + 1 : index;
    this.#used.add(place);
    this.#places.set(index, place);
    return place;
  }

  #wellFormed(delta: Delta): Delta {
    const joined: Delta = { ...delta };
    for (const name of TEXTS) {
      const text = delta[name];
      if (typeof text === 'string') joined[name] = this.#pieces.push(name, text);
    }
    if (Array.isArray(delta.tool_calls))
      joined.tool_calls = objectsIn(delta.tool_calls).map((call) => this.#wellFormedCall(call));
    return joined;
  }

  #wellFormedCall(call: Delta): Delta {
    for (const [type, field] of [
      ['function', 'arguments'],
      ['custom', 'input'],
    ] as const) {
      const called = call[type];
      if (isObject(called) && typeof called[field] === 'string')
        return { ...call, [type]: { ...called, [field]: this.#pieces.push(`call ${call.index}`, called[field]) } };
    }
    return call;
  }

  /** Completes texts that end with half a surrogate pair. */
  #halves(): Delta {
    const left = TEXTS.map((name) => [name, this.#pieces.end(name)] as const);
    return Object.fromEntries(left.filter(([, text]) => text !== ''));
  }
}

/** Fields of a delta that arrive in pieces. */
const TEXTS = ['content', 'refusal', 'reasoning_content'] as const;

function indexIn({ output_index }: AnswerFrame): number {
  if (!isCount(output_index)) throw malformed('an event for an unknown item');
  return output_index;
}
