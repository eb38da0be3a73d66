import { hostname } from 'node:os';
import type { Exporter, ExportRecord, PluginDeps } from '@svc/sdk';
import { epochMs, formatted, ledgerEvent, Parts } from '@svc/toolkit/export';
import { Collector } from './collector.ts';
import type { Options } from './options.ts';

/** Sends records to an HTTP Event Collector, in order. Each request waits until the previous one was accepted. */
export class SplunkExporter implements Exporter {
  readonly operations: Exporter | undefined;
  readonly #collector: Collector;
  readonly #options: Options;
  readonly #parts: Parts;
  #ledgerId = '';

  constructor(options: Options, deps: PluginDeps) {
    this.#collector = new Collector(options, deps);
    this.#options = options;
    this.#parts = new Parts({ most: options.batch, clock: deps.clock });
    this.operations = options.operations ? new SplunkExporter({ ...options, operations: false }, deps) : undefined;
  }

  async open({ ledgerId }: { ledgerId: string }): Promise<void> {
    this.#ledgerId = ledgerId;
  }

  deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    return this.#parts.send(records, (part) =>
      this.#collector.send(part.map((record) => this.#eventOf(record)).join('\n'), signal),
    );
  }

  close(): Promise<void> {
    return this.#collector.close();
  }

  #eventOf(record: ExportRecord): string {
    const { format, index, sourcetype = `svc:${format}`, source = this.#ledgerId, host = hostname() } = this.#options;
    const event = ledgerEvent(this.#ledgerId, record);
    const { seq, hash, ledger_id, type } = event;
    const fields = { seq, hash, ledger_id, type };
    const at_ms = epochMs(event.at);
    // In seconds. Without a time, Splunk uses that of the arrival.
    const time = at_ms === null ? {} : { time: at_ms / 1000 };
    const about = JSON.stringify({ ...time, host, source, sourcetype, ...(index !== undefined && { index }), fields });
    const text = formatted(format, event, record.bytes);
    // The record stays byte for byte as stored.
    return `${about.slice(0, -1)},"event":${format === 'cef' ? JSON.stringify(text) : text}}`;
  }
}
