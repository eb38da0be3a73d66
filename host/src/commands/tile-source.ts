import type { Store } from '@svc/contracts';
import { entriesIn, isEntry, TILE_WIDTH, tilePath, widthIn } from '@svc/ledger';
import { runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { bytesIn, textIn } from '../served/ask-server.ts';
import { ask, LEDGER } from '../served/ledger-pages.ts';

/** A ledger as a signed checkpoint and the hashes of its records. */
export interface TileSource {
  readonly name: string;
  /** The newest signed checkpoint, as a note. @throws {CliError} */
  checkpoint(): Promise<string>;
  /** The hashes of the records from index `from` to `to`, in batches. @throws {CliError} */
  hashes(from: number, to: number): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

/** A running server. */
export function serverSource(url: string): TileSource {
  const read = (path: string): Promise<Response> => ask(url, `${LEDGER}/${path}`);
  return {
    name: url,
    checkpoint: async () => textIn(url, await read('checkpoint')),
    async *hashes(from, to) {
      for (let at = from; at < to; at = nextBundle(at)) {
        const index = Math.floor(at / TILE_WIDTH);
        const response = await read(tilePath({ level: 'entries', index, width: widthIn(to, 'entries', index) }));
        const entries = entriesIn(await bytesIn(url, response));
        if (entries?.length !== widthIn(to, 'entries', index)) throw new CliError(`${url} did not return a bundle of entries`);
        yield entries.slice(at % TILE_WIDTH);
      }
    },
    close: async () => undefined,
  };
}

/** A runs-db that no server uses, or a database. @throws {CliError} */
export async function storeSource(named: string): Promise<TileSource> {
  // Loaded on demand: a running server needs no store here.
  const [{ openRunsDb }, { CHECKPOINT }] = await Promise.all([import('./open-runs-db.ts'), import('@svc/runtime/records')]);
  const { store } = await openRunsDb(runsDb(named));
  if (store === null) throw new CliError(`${named} is damaged: run svc ledger verify ${named}`);
  return {
    name: named,
    checkpoint: async () => {
      const note = await store.readMeta(CHECKPOINT);
      if (note === null) throw new CliError(`${named} has no signed checkpoint yet: start the server once`);
      return note;
    },
    hashes: (from, to) => hashesIn(store, named, from, to),
    close: () => store.close(),
  };
}

async function* hashesIn(store: Store, named: string, from: number, to: number): AsyncGenerator<readonly string[]> {
  for (let at = from; at < to; at = nextBundle(at)) {
    const limit = Math.min(nextBundle(at), to) - at;
    const records = await store.records({ since_seq: at, limit });
    const hashes = records.flatMap(({ bytes }) => hashIn(bytes) ?? []);
    if (hashes.length < limit) throw new CliError(`${named} lacks records of its checkpoint: run svc ledger verify ${named}`);
    yield hashes;
  }
}

/** The tree of the checkpoint, which is compared afterwards, decides whether a hash is right. */
function hashIn(bytes: string): string | null {
  const { hash } = JSON.parse(bytes) as { hash?: unknown };
  return isEntry(hash) ? hash : null;
}

function nextBundle(at: number): number {
  return (Math.floor(at / TILE_WIDTH) + 1) * TILE_WIDTH;
}
