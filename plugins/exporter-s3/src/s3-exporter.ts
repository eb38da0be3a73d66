import type { Exporter, ExportRecord, PluginDeps } from '@svc/sdk';
import { formatted, ledgerEvent, Parts } from '@svc/toolkit/export';
import { Bucket } from './bucket.ts';
import { beginning, checkpointName, parsedName, recordsName, sha256Of } from './names.ts';
import type { Options } from './options.ts';

/** Writes records to objects, in order. Each object waits until the previous one is stored. */
export class S3Exporter implements Exporter {
  readonly destinations: readonly string[];
  readonly operations: Exporter | undefined;
  readonly #bucket: Bucket;
  readonly #options: Options;
  readonly #parts: Parts;
  #ledgerId = '';
  /** Whether the next records may have been stored before: their delivery may have failed after that, or its success was not noted. */
  #mayRepeat = true;

  constructor(options: Options, deps: PluginDeps) {
    const { endpoint = '', bucket, prefix } = options;
    this.#bucket = new Bucket(options, deps);
    this.#options = options;
    this.#parts = new Parts({ most: options.batch, clock: deps.clock });
    this.destinations = [`s3 ${endpoint} ${bucket} ${prefix}`];
    this.operations = options.operations ? new S3Exporter({ ...options, operations: false }, deps) : undefined;
  }

  async open({ ledgerId }: { ledgerId: string }): Promise<void> {
    this.#ledgerId = ledgerId;
    this.#mayRepeat = true;
  }

  async deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    const stored = this.#mayRepeat ? await this.#storedBefore(records, signal) : null;
    this.#mayRepeat = false;
    if (stored !== null) return { through: stored };
    return this.#parts.send(records, async (part) => {
      const content = this.#contentOf(part);
      const [first, last] = [part[0]?.seq ?? 0, part.at(-1)?.seq ?? 0];
      const name = recordsName({ first, last, sha256: sha256Of(content) });
      await this.#bucket.put(`${this.#folder}records/${name}`, content, 'application/x-ndjson', signal);
    });
  }

  async checkpoint(note: string, signal: AbortSignal): Promise<void> {
    const name = `${this.#folder}checkpoints/${checkpointName(note)}`;
    await this.#bucket.put(name, Buffer.from(note), 'text/plain; charset=utf-8', signal);
  }

  close(): Promise<void> {
    return this.#bucket.close();
  }

  get #folder(): string {
    return `${this.#options.prefix}${this.#ledgerId}/`;
  }

  /**
   * The last of these records that an object holds already, which starts with the first of them. So a repeated delivery writes no second object, although
   * there may be more records by now. Null if there is no such object, or it has another content, for example in another format.
   */
  async #storedBefore(records: readonly ExportRecord[], signal: AbortSignal): Promise<number | null> {
    const first = records[0]?.seq ?? 0;
    const name = await this.#bucket.firstName(`${this.#folder}records/${beginning(first)}`, signal);
    const found = name === null ? null : parsedName(name);
    if (found === null) return null;
    const same = records.filter(({ seq }) => seq <= found.last);
    const isWhole = same.at(-1)?.seq === found.last;
    return isWhole && sha256Of(this.#contentOf(same)) === found.sha256 ? found.last : null;
  }

  /** One record a line. */
  #contentOf(records: readonly ExportRecord[]): Buffer {
    const { format } = this.#options;
    // Only a summary needs the record parsed.
    const lines = records.map((record) =>
      format === 'json' ? record.bytes : formatted(format, ledgerEvent(this.#ledgerId, record), record.bytes),
    );
    return Buffer.from(`${lines.join('\n')}\n`);
  }
}
