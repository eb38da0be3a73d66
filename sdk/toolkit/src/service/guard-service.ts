import type { GuardContext, JsonValue, PluginDeps } from '@svc/contracts';
import { malformed } from '@svc/protocols';
import { UpstreamClient } from '../upstream/client.ts';
import { parseJson } from '../upstream/json.ts';
import { openAiAccountOptions } from '../upstream/openai-account.ts';
import { type ConnectionOptions, connectionOptions, type UpstreamTarget } from '../upstream/target.ts';
import { logFailure } from './failure.ts';

const { api_key, auth_header, headers } = openAiAccountOptions;

/** Properties for the options schema of a guard that has a {@link GuardService}. `base_url` is declared by the guard itself. */
export const serviceOptions = {
  api_key,
  auth_header,
  headers,
  ...connectionOptions,
  connections: { ...connectionOptions.connections, default: 64 },
  max_response_bytes: { ...connectionOptions.max_response_bytes, default: 1_048_576 },
};

/** Maximum number of calls of one check at the same time. */
const AT_ONCE = 4;
/** Only the signal of the check limits the time. It also ends the other calls when one has failed. */
const TIMEOUT_MS = 3_600_000;

/**
 * Asks an HTTP service for a verdict on texts. Limited by the timeout of the check, `max_response_bytes`, `connections` and the network options. It
 * follows no redirect, and retries only a request on a connection that the service had already closed. Any failure is logged without text and thrown:
 * `on_error` of the pack decides.
 */
export class GuardService {
  readonly #client: UpstreamClient;
  readonly #deps: PluginDeps;

  /** @throws {Error} with the key and the remedy, for network options that cannot be used */
  constructor(target: UpstreamTarget, options: ConnectionOptions, deps: PluginDeps) {
    this.#client = new UpstreamClient(target, options, deps);
    this.#deps = deps;
  }

  /**
   * Posts a question for each subject as JSON, a few at a time.
   * @param read reads an answer; returns null if it is invalid. It can call `wrong` with the place in its schema, for the log
   * @returns the answers in the order of the subjects
   * @throws {ProviderError}
   */
  async ask<Q, A>(
    subjects: readonly Q[],
    ctx: GuardContext,
    question: (subject: Q) => object,
    read: (answer: JsonValue, subject: Q, wrong: (place: string) => null) => A | null,
  ): Promise<A[]> {
    const answers: A[] = [];
    let place: string | null = null;
    const wrong = (of_schema: string): null => {
      place = of_schema;
      return null;
    };
    const rest = subjects.entries();
    const work = async (): Promise<void> => {
      for (const [index, subject] of rest) {
        const answer = read(parseJson(await this.#post(question(subject), ctx)), subject, wrong);
        if (answer === null) throw malformed('no-verdict');
        answers[index] = answer;
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, subjects.length) }, work));
      return answers;
    } catch (error) {
      // Starts no further call. The other calls in progress end with the signal of the check.
      for (const _ of rest);
      logFailure(this.#deps, ctx, error, place);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #post(question: object, { run_id, signal }: GuardContext): Promise<string> {
    return this.#client.whole(JSON.stringify(question), { run_id, attempt: 1, signal, timeout_ms: TIMEOUT_MS });
  }
}
