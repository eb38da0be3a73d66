import type { Clock, Exporter, ExportRecord, PluginDeps } from '@svc/sdk';
import { formatted, Intake, ledgerEvent, NotAccepted, Parts, receiverUrl, refused } from '@svc/toolkit/export';
import { rejectedIn, requestBody } from './log-records.ts';
import type { Options } from './options.ts';

/** Headers of the message itself: a second one would make a request that no collector accepts. */
const OWN_HEADERS =
  /^(?:connection|content-encoding|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Sends records to an OpenTelemetry collector as log records over OTLP/HTTP, in order. Each request waits until the previous one was accepted. */
export class OtlpExporter implements Exporter {
  readonly operations: Exporter | undefined;
  readonly #intake: Intake;
  readonly #path: string;
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #parts: Parts;
  #ledgerId = '';

  /** @throws {Error} with the key and the remedy, never with a value, for options that cannot be used */
  constructor(options: Options, deps: PluginDeps) {
    const { origin, pathname, search } = receiverUrl('url', options.url);
    for (const [name, value] of Object.entries(options.headers)) {
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
        throw new Error('headers: a name contains a character that is not allowed in header names');
      if (OWN_HEADERS.test(name)) throw new Error(`headers.${name}: is set by the exporter; remove it`);
      if (!/^[\t\x20-\x7e]+$/.test(value)) throw new Error(`headers.${name}: must be ASCII without line breaks`);
    }
    this.#intake = new Intake(origin, options, deps);
    this.#path = `${pathname}${search}`;
    this.#options = options;
    this.#clock = deps.clock;
    this.#parts = new Parts({ most: options.batch, clock: deps.clock });
    this.operations = options.operations ? new OtlpExporter({ ...options, operations: false }, deps) : undefined;
  }

  async open({ ledgerId }: { ledgerId: string }): Promise<void> {
    this.#ledgerId = ledgerId;
  }

  deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    return this.#parts.send(records, (part) => this.#send(part, signal));
  }

  close(): Promise<void> {
    return this.#intake.close();
  }

  async #send(records: readonly ExportRecord[], signal: AbortSignal): Promise<void> {
    const lines = records.map((record) => {
      const event = ledgerEvent(this.#ledgerId, record);
      return { event, text: formatted(this.#options.format, event, record.bytes) };
    });
    const answer = await this.#intake.request(
      {
        method: 'POST',
        path: this.#path,
        headers: { ...this.#options.headers, 'content-type': 'application/x-protobuf' },
        body: requestBody(lines, this.#clock.now()),
      },
      signal,
    );
    if (answer.status < 200 || answer.status > 299) throw refused(answer);
    // The collector does not say which ones it rejected, so none counts as delivered.
    const rejected = rejectedIn(answer);
    if (rejected !== 0) throw new NotAccepted(rejected === null ? 'UNEXPECTED_RESPONSE' : 'PARTIALLY_REJECTED');
  }
}
