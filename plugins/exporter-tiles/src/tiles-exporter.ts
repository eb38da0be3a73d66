import type { Exporter, ExportRecord } from '@svc/sdk';
import { identitiesOf } from '@svc/toolkit/store';
import { TileFolder } from '@svc/toolkit/tiles';

/** Grows a folder of tiles. Each batch is on disk before it is acknowledged, and each checkpoint is published when its records are. */
export class TilesExporter implements Exporter {
  readonly destinations: readonly string[];
  readonly operations: Exporter | undefined;
  readonly #path: string;
  #folder: TileFolder | null = null;

  /** @param operations writes the operations log; absent unless the configuration asks for it */
  constructor(path: string, operations?: Exporter) {
    this.#path = path;
    this.operations = operations;
    this.destinations = identitiesOf(path);
  }

  /** @throws {TileDiffers} if the folder does not have the delivered records */
  async open({ cursor }: { cursor: number }): Promise<void> {
    this.#folder = await TileFolder.open(this.#path, cursor);
  }

  async deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    signal.throwIfAborted();
    const folder = this.#opened();
    const [first] = records;
    if (first?.seq !== folder.size + 1)
      throw new Error(`record ${folder.size + 1} of the log is missing: tiles need all records`);
    await folder.append(records.map(({ hash }) => hash));
    await folder.flush();
    return { through: folder.size };
  }

  async checkpoint(note: string): Promise<void> {
    await this.#opened().publish(note);
  }

  async close(): Promise<void> {
    this.#folder = null;
  }

  #opened(): TileFolder {
    if (this.#folder === null) throw new Error('not open');
    return this.#folder;
  }
}
