import { appendFile, readFile, truncate } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineExporter, type Exporter, type ExportRecord } from '@svc/sdk';
import { Type } from 'typebox';

const Options = Type.Object(
  { path: Type.String({ minLength: 1, description: 'The file that gets the records.' }) },
  { additionalProperties: false },
);

/**
 * Receives records in order. Do not queue, retry or reorder: the gateway does. After a failure or a restart, a
 * record may be delivered again; the last line of the file shows which.
 */
class FileExporter implements Exporter {
  readonly #path: string;
  /** The `seq` of the last line. */
  #written = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    // A line that a crash truncated is delivered again.
    if (whole.length < text.length) await truncate(this.#path, Buffer.byteLength(whole));
    const last = whole.split('\n').at(-2);
    this.#written = last === undefined ? 0 : Number(JSON.parse(last).seq);
  }

  async deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    signal.throwIfAborted();
    const fresh = records.filter(({ seq }) => seq > this.#written);
    // `flush`: delivered records must be on disk.
    await appendFile(this.#path, fresh.map(({ bytes }) => `${bytes}\n`).join(''), { flush: true });
    this.#written = Math.max(this.#written, fresh.at(-1)?.seq ?? 0);
    return { through: records.at(-1)?.seq ?? this.#written };
  }

  async close(): Promise<void> {}
}

/** The exporter `{{type}}`: see README.md. */
export default defineExporter({
  type: '{{type}}',
  options: Options,
  create: ({ path }, deps) => new FileExporter(resolve(deps.directory, path)),
});
