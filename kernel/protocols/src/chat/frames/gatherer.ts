import {
  type AnswerBody,
  type AnswerFrame,
  type ChatCompletionChunk,
  type ChatUsage,
  JsonCounter,
  type JsonObject,
} from '@svc/contracts';
import { define } from '../../common/define.ts';
import { AssembledMessage } from './assembled-message.ts';
import { count } from './joined.ts';

/** The fields of a choice besides its message, collected from the chunks. */
interface Gathered {
  readonly message: AssembledMessage;
  finish_reason: string | null;
  readonly fields: JsonObject;
}

/**
 * Assembles an answer from its chunks. Drops `logprobs`, which can exceed the JSON limit and have already been sent. Also drops the whole message so
 * far, which some upstreams repeat with each delta.
 */
export class ChatGatherer {
  readonly #counter = new JsonCounter();
  readonly #choices = new Map<number, Gathered>();
  readonly #fields: Record<string, unknown> = {};
  #usage: ChatUsage | null = null;

  /** @throws {ProviderError} `malformed` if the answer has more JSON than allowed */
  take(frame: AnswerFrame): void {
    const { choices, usage, ...fields } = frame as ChatCompletionChunk;
    this.#note(fields, this.#fields);
    this.#usage = usage ?? this.#usage;
    for (const { index, delta, finish_reason, logprobs: _, message: __, ...rest } of choices) {
      const choice = this.#choiceAt(index);
      choice.message.take(delta);
      choice.finish_reason = finish_reason || choice.finish_reason;
      this.#note(rest, choice.fields);
    }
  }

  /** Keeps the last value of each field. */
  #note(fields: object, known: object): void {
    for (const [name, value] of Object.entries(fields)) {
      if (!Object.hasOwn(known, name)) count(value, this.#counter);
      define(known, name, value);
    }
  }

  answer(): AnswerBody {
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    return {
      ...this.#fields,
      object: 'chat.completion',
      choices: choices.map(([index, { message, finish_reason, fields }]) => ({
        index,
        message: message.message(),
        ...fields,
        finish_reason,
      })),
      ...(this.#usage === null ? {} : { usage: this.#usage }),
    };
  }

  #choiceAt(index: number): Gathered {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = { message: new AssembledMessage(this.#counter), finish_reason: null, fields: {} };
    this.#choices.set(index, choice);
    return choice;
  }
}
