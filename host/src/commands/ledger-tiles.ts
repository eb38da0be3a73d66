import { MalformedNote } from '@svc/ledger';
import { TileDiffers, TileFolder } from '@svc/toolkit/tiles';
import { CliError } from '../errors/cli-error.ts';
import { SERVER_OPTION } from '../served/ask-server.ts';
import { readArguments } from './arguments.ts';
import { isolated } from './isolated.ts';
import { checkpointIn, EXIT_CODES, readKeys } from './ledger-keys.ts';
import { isFolder } from './ledger-source.ts';
import { Progress } from './progress.ts';
import { serverSource, storeSource, type TileSource } from './tile-source.ts';

interface Asked {
  readonly folder: string;
  readonly json: boolean;
  readonly keys: ReturnType<typeof readKeys>;
  readonly runs_db: string | undefined;
  readonly server: string;
}

/**
 * `svc ledger tiles DIR [--server URL | --runs-db DIR|URL] [--key VKEY].. [--json]`: writes a ledger as a folder of static files in the format
 * tlog-tiles, or continues such a folder up to the newest checkpoint. Exit code 4 if the folder is not a beginning of the ledger.
 */
export async function tileLedger(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    {
      server: { type: 'string' },
      'runs-db': { type: 'string' },
      key: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
    ['DIR'],
  );
  const { 'runs-db': runs_db, server, json } = values;
  if (runs_db !== undefined && server !== undefined) throw new CliError('use exactly one of --server and --runs-db', 2);
  const asked = {
    folder: positionals[0] ?? '',
    json,
    keys: readKeys(values.key),
    runs_db,
    server: server ?? SERVER_OPTION.default,
  };
  if (runs_db === undefined || !isFolder(runs_db)) return write(asked);
  await isolated(
    () => write(asked),
    ({ signal }) => {
      process.stderr.write(`svc: the process that reads ${runs_db} was killed by ${signal}: run svc ledger verify ${runs_db}\n`);
      process.exitCode = EXIT_CODES.broken;
    },
  );
}

async function write({ folder, json, keys, runs_db, server }: Asked): Promise<void> {
  const source = runs_db === undefined ? serverSource(server) : await storeSource(runs_db);
  try {
    const note = await source.checkpoint();
    const { origin, size } = checkpointIn(note, `of ${source.name}`, keys);
    const added = await grow(folder, source, { note, size });
    const said = `${added} records added; ${folder} now has all ${size} records of the checkpoint of ${origin}`;
    process.stdout.write(json ? `${JSON.stringify({ folder, origin, records: size, added })}\n` : `${said}\n`);
  } catch (error) {
    if (error instanceof TileDiffers || error instanceof MalformedNote) throw new CliError(error.message, EXIT_CODES.broken);
    throw error;
  } finally {
    await source.close();
  }
}

/** Returns the number of new records. @throws {TileDiffers} */
async function grow(folder: string, source: TileSource, { note, size }: { note: string; size: number }): Promise<number> {
  const published = (await TileFolder.published(folder))?.size ?? 0;
  if (published > size)
    throw new TileDiffers(
      `${source.name} has ${size} records, but ${folder} has ${published}: an older copy of the ledger was restored`,
    );
  const tiles = await TileFolder.open(folder, published);
  const progress = new Progress(process.stderr, 'records', { of: 'items', count: size - published });
  try {
    for await (const hashes of source.hashes(published, size)) {
      await tiles.append(hashes);
      progress.advance(hashes.length, 0);
    }
  } finally {
    progress.end();
  }
  await tiles.publish(note);
  return size - published;
}
