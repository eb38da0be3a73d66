import type { Clock, Exporter, ExportRecord, PluginDeps } from '@svc/sdk';
import { Parts, refused, withinTime } from '@svc/toolkit/export';
import { WebhookClient } from '@svc/toolkit/webhook';
import { checkpointMessage, type Message, recordMessage, recordsMessage } from './messages.ts';
import type { Options } from './options.ts';

/** The response body is not used. A body that is longer than this counts as a failure. */
const MAX_RESPONSE_BYTES = 1_048_576;

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
    // New for each delivery: a repeated request has the same records, and so the same id.
    const parts = new Parts({ most: this.#options.batch, clock: this.#clock });
    return parts.send(records, (part) => this.#post(this.#messageOf(part), signal));
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
    const answer = await withinTime(this.#options.timeout_ms, signal, (limited) => this.#client.post(id, body, limited));
    if (answer.status < 200 || answer.status > 299) throw refused(answer);
  }
}
