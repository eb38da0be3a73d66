import { type AnswerBody, type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';

/** Puts a response together: the last frame says all of it, unless an upstream says its items in their own frames alone. */
export class ResponseGatherer {
  readonly #items = new Map<number, JsonObject>();
  #response: JsonObject | null = null;

  take({ type, item, output_index, response }: AnswerFrame): void {
    if (type === 'response.output_item.done' && isObject(item)) this.#items.set(Number(output_index), item);
    if ((type === 'response.completed' || type === 'response.incomplete') && isObject(response)) this.#response = response;
  }

  /** @throws {ProviderError} `malformed` where it has not ended */
  answer(): AnswerBody {
    if (this.#response === null) throw malformed('a response that has not ended');
    const { output } = this.#response;
    if (Array.isArray(output) && output.length > 0) return this.#response;
    const items = [...this.#items].sort(([one], [other]) => one - other).map(([, item]) => item);
    return { ...this.#response, output: items };
  }
}
