import {
  type AnswerBody,
  type AnswerFrame,
  type ChatCompletionChunk,
  type ChatUsage,
  isObject,
  JsonCounter,
  type JsonObject,
} from '@svc/contracts';
import { AssembledMessage } from './assembled-message.ts';
import { joined } from './joined.ts';

/** What a chunk says of a choice beside its message. */
interface Gathered {
  readonly message: AssembledMessage;
  finish_reason: string | null;
  fields: JsonObject;
  logprobs: Record<string, unknown> | null;
}

/** Puts an answer together from its chunks. */
export class ChatGatherer {
  readonly #counter = new JsonCounter();
  readonly #choices = new Map<number, Gathered>();
  #fields: Readonly<Record<string, unknown>> = {};
  #usage: ChatUsage | null = null;

  /** @throws {ProviderError} `malformed` for more JSON than an answer may hold */
  take(frame: AnswerFrame): void {
    const { choices, usage, ...fields } = frame as ChatCompletionChunk;
    this.#fields = { ...this.#fields, ...fields };
    this.#usage = usage ?? this.#usage;
    for (const { index, delta, finish_reason, logprobs, ...rest } of choices) {
      const choice = this.#choiceAt(index);
      choice.message.take(delta);
      choice.finish_reason = finish_reason || choice.finish_reason;
      choice.fields = { ...choice.fields, ...(rest as JsonObject) };
      if (isObject(logprobs)) choice.logprobs = joined(choice.logprobs, logprobs, this.#counter);
    }
  }

  answer(): AnswerBody {
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    return {
      ...this.#fields,
      object: 'chat.completion',
      choices: choices.map(([index, { message, finish_reason, fields, logprobs }]) => ({
        index,
        message: message.message(),
        ...fields,
        ...(logprobs === null ? {} : { logprobs }),
        finish_reason,
      })),
      ...(this.#usage === null ? {} : { usage: this.#usage }),
    };
  }

  #choiceAt(index: number): Gathered {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = { message: new AssembledMessage(this.#counter), finish_reason: null, fields: {}, logprobs: null };
    this.#choices.set(index, choice);
    return choice;
  }
}
