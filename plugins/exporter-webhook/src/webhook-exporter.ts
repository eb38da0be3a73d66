import type { Clock, DeliveryFailure, Exporter, ExportRecord, PluginDeps } from '@svc/sdk';
import { WebhookClient } from '@svc/toolkit/webhook';
import { checkpointMessage, firstOf, type Message, recordMessage, recordsMessage } from './messages.ts';
import type { Options } from './options.ts';

/** After this time, a delivery starts no more requests. So the cursor advances regularly, even with a slow receiver. */
const MAX_DELIVERY_MS = 10_000;
/** The response body is not used. A body that is longer than this counts as a failure. */
const MAX_RESPONSE_BYTES = 1_048_576;

/** Why a receiver did not accept a request: a code, never its response body. */
class NotTaken extends Error implements DeliveryFailure {
  override readonly name = 'NotTaken';
  readonly code: string;
  readonly retry_after_ms: number | undefined;
  /** The last seq that the receiver accepted. */
  through: number | undefined;
  constructor(code: string, retry_after_ms?: number) {
    super('the receiver did not accept the request');
    this.code = code;
    this.retry_after_ms = retry_after_ms;
  }
}

/** Posts records to a URL, in order. Each request waits for the complete 2xx response to the previous one. */
export class WebhookExporter implements Exporter {
  readonly operations: Exporter | undefined;
  readonly #client: WebhookClient;
  readonly #options: Options;
  readonly #clock: Clock;
  #ledgerId = '';

  constructor(options: Options, deps: PluginDeps) {
    this.#client = new WebhookClient({ ...options, max_response_bytes: MAX_RESPONSE_BYTES }, deps);
    this.#options = options;
    this.operations = options.operations ? new WebhookExporter({ ...options, operations: false }, deps) : undefined;
    this.#clock = deps.clock;
  }

  /** @throws {Error} if a secret is invalid */
  checkSecrets(): void {
    this.#client.open();
  }

  async open({ ledgerId }: { ledgerId: string }): Promise<void> {
    this.#ledgerId = ledgerId;
  }

  async deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    const until = this.#clock.monotonic() + MAX_DELIVERY_MS;
    let rest = records;
    let through: number | undefined;
    do {
      const sent = firstOf(rest, this.#options.batch);
      try {
        await this.#post(this.#messageOf(sent), signal);
      } catch (error) {
        if (error instanceof NotTaken) error.through = through;
        throw error;
      }
      through = sent.at(-1)?.seq;
      rest = rest.slice(sent.length);
    } while (rest.length > 0 && this.#clock.monotonic() < until);
    return { through: through ?? 0 };
  }

  async checkpoint(note: string, signal: AbortSignal): Promise<void> {
    await this.#post(checkpointMessage(this.#ledgerId, note), signal);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #messageOf(records: readonly ExportRecord[]): Message {
    const [first] = records;
    if (this.#options.batch > 1 || first === undefined) return recordsMessage(this.#ledgerId, records);
    return recordMessage(this.#ledgerId, first);
  }

  async #post({ id, body }: Message, signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(this.#options.timeout_ms);
    const posted = this.#client.post(id, body, AbortSignal.any([signal, timeout]));
    const { status, retry_after_s } = await posted.catch((error: unknown) => {
      throw new NotTaken(signal.aborted ? 'GIVEN_UP' : timeout.aborted ? 'TIMEOUT' : codeOf(error));
    });
    if (status >= 200 && status < 300) return;
    throw new NotTaken(`HTTP_${status}`, retry_after_s === undefined ? undefined : retry_after_s * 1000);
  }
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
