import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type JsonObject, type PluginDeps } from '@svc/sdk';
import { type HttpAnswer, Intake, NotAccepted, receiverUrl, refused } from '@svc/toolkit/export';
import type { Options } from './options.ts';

const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 2_000;

/** An HTTP Event Collector of Splunk. */
export class Collector {
  readonly #intake: Intake;
  readonly #options: Options;
  readonly #path: string;
  /** Acknowledgements are counted by channel. */
  readonly #channel = randomUUID();

  /** @throws {Error} with the key and the remedy, never with a value, for options that cannot be used */
  constructor(options: Options, deps: PluginDeps) {
    const { origin, pathname, search } = receiverUrl('url', options.url);
    if (search !== '') throw new Error('url: must not have a query');
    // A token that was read from a file often ends with a line feed, which a header cannot contain.
    if (!/^[\x21-\x7e]+$/.test(options.token)) throw new Error('token: must be visible ASCII without white space');
    this.#intake = new Intake(origin, options, deps);
    this.#options = options;
    this.#path = `${pathname.replace(/\/+$/, '')}/services/collector`;
  }

  /**
   * Sends events, and waits for the acknowledgement of the indexers if the token has it.
   * @param events JSON objects, one after the other
   * @throws {NotAccepted}
   */
  async send(events: string, signal: AbortSignal): Promise<void> {
    const { code, ackId } = await this.#post('/event', events, signal);
    // A 2xx response of another program, such as a proxy's page, confirms nothing.
    if (code !== 0) throw new NotAccepted('UNEXPECTED_RESPONSE');
    if (typeof ackId === 'number') await this.#acknowledged(ackId, signal);
    else if (this.#options.require_ack) throw new NotAccepted('NO_ACKNOWLEDGEMENT');
  }

  close(): Promise<void> {
    return this.#intake.close();
  }

  async #acknowledged(ackId: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + this.#options.ack_timeout_ms;
    for (let wait = FIRST_POLL_MS; performance.now() < until; wait = Math.min(MAX_POLL_MS, wait * 2)) {
      const { acks } = await this.#post('/ack', JSON.stringify({ acks: [ackId] }), signal);
      if (isObject(acks) && acks[ackId] === true) return;
      await delay(Math.min(wait, Math.max(0, until - performance.now())), undefined, { signal }).catch(() => {
        throw new NotAccepted('GIVEN_UP');
      });
    }
    throw new NotAccepted('ACK_TIMEOUT');
  }

  async #post(path: string, body: string, signal: AbortSignal): Promise<JsonObject> {
    const answer = await this.#intake.request(
      {
        method: 'POST',
        path: `${this.#path}${path}?channel=${this.#channel}`,
        headers: {
          authorization: `Splunk ${this.#options.token}`,
          'content-type': 'application/json',
          'x-splunk-request-channel': this.#channel,
        },
        body,
      },
      signal,
    );
    const said = bodyOf(answer);
    if (answer.status >= 200 && answer.status < 300) return said;
    throw refused(answer, codeOf(answer, said));
  }
}

function bodyOf({ body }: HttpAnswer): JsonObject {
  try {
    const parsed: unknown = JSON.parse(body.toString());
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** Splunk numbers the reasons: https://docs.splunk.com/Documentation/Splunk/latest/Data/TroubleshootHTTPEventCollector. */
function codeOf({ status }: HttpAnswer, { code }: JsonObject): string {
  return typeof code === 'number' && Number.isInteger(code) && code >= 0 && code < 100
    ? `HTTP_${status}_HEC_${code}`
    : `HTTP_${status}`;
}
