import { hostname } from 'node:os';
import type { Exporter, ExportRecord, PluginDeps } from '@svc/sdk';
import { formatted, ledgerEvent, Parts } from '@svc/toolkit/export';
import { framed, hostnameOf, type MessageHead } from './message.ts';
import type { Options } from './options.ts';
import { SyslogServer } from './server.ts';

/** Maximum records on one connection. */
const MAX_RECORDS = 256;

/** Sends records as syslog messages, in order. Each connection waits until the server has read the previous one. */
export class SyslogExporter implements Exporter {
  readonly operations: Exporter | undefined;
  readonly #server: SyslogServer;
  readonly #format: Options['format'];
  readonly #head: MessageHead;
  readonly #parts: Parts;
  #ledgerId = '';

  constructor(options: Options, deps: PluginDeps) {
    const { facility, sd_id, bom, format } = options;
    this.#server = new SyslogServer(options, deps);
    this.#format = format;
    this.#head = { facility, sd_id, bom, hostname: options.hostname ?? hostnameOf(hostname()), process_id: process.pid };
    this.#parts = new Parts({ most: MAX_RECORDS, clock: deps.clock });
    this.operations = options.operations ? new SyslogExporter({ ...options, operations: false }, deps) : undefined;
  }

  async open({ ledgerId }: { ledgerId: string }): Promise<void> {
    this.#ledgerId = ledgerId;
  }

  deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    return this.#parts.send(records, (part) => {
      const messages = part.map((record) => {
        const event = ledgerEvent(this.#ledgerId, record);
        return framed(this.#head, event, formatted(this.#format, event, record.bytes));
      });
      return this.#server.send(Buffer.concat(messages), signal);
    });
  }

  /** Nothing is open between deliveries. */
  async close(): Promise<void> {}
}
