import { type AnswerBody, type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';
import { GrowingOutput } from './growing-output.ts';

/** Puts a response together: the last frame says all of it, unless an upstream says its items in their own frames alone. */
export class ResponseGatherer {
  readonly #output = new GrowingOutput();
  #response: JsonObject | null = null;

  take(frame: AnswerFrame): void {
    const { type, response } = frame;
    if ((type === 'response.completed' || type === 'response.incomplete') && isObject(response)) this.#response = response;
    else this.#output.take(frame);
  }

  /** @throws {ProviderError} `malformed` if it has not ended */
  answer(): AnswerBody {
    if (this.#response === null) throw malformed('a response that has not ended');
    const { output } = this.#response;
    if (Array.isArray(output) && output.length > 0) return this.#response;
    return { ...this.#response, output: this.#output.items.map(({ item }) => item) };
  }
}
