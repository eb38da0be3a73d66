import { type AnswerBody, type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';
import { GrowingOutput } from './growing-output.ts';

/** Assembles a response. The last frame repeats all of it, but some upstreams leave out the items there. */
export class ResponseGatherer {
  readonly #output = new GrowingOutput();
  #response: JsonObject | null = null;

  take(frame: AnswerFrame): void {
    const { type, response } = frame;
    if ((type === 'response.completed' || type === 'response.incomplete') && isObject(response)) this.#response = response;
    else this.#output.take(frame);
  }

  /** @throws {ProviderError} `malformed` if the response has not ended */
  answer(): AnswerBody {
    if (this.#response === null) throw malformed('a response that has not ended');
    const { output } = this.#response;
    if (Array.isArray(output) && output.length > 0) return this.#response;
    return { ...this.#response, output: this.#output.items.map(({ item }) => item) };
  }
}
