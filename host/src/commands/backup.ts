import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backUpStore, CopyRefused } from '@svc/kernel';
import { isStoreError, type Store } from '@svc/kernel/contracts';
import { makeParts, makeStore, ownPlugins } from '../compose.ts';
import { silentLogger } from '../logger.ts';
import { runsDb } from '../runs-db.ts';
import { readArguments } from './arguments.ts';
import { EXIT_CODES } from './ledger-keys.ts';
import { openLedger } from './ledger-source.ts';
import { verify } from './ledger-verify.ts';
import { makeOwnerOnly } from './owner-only.ts';
import { Progress } from './progress.ts';
import { Refusal } from './refusal.ts';

/**
 * `svc backup DIR [--runs-db DIR|URL] [--json]`: a copy of a runs-db as it is at one moment, made while a server serves from it or not. The
 * copy is opened and its ledger checked; exit code 4 where that is broken. The key of its content is no part of it. Documents that lie beside the
 * runs-db are copied beside the copy, as `DIR.rag`.
 */
export async function backup(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    { 'runs-db': { type: 'string', default: 'runs-db' }, json: { type: 'boolean', default: false } },
    ['DIR'],
  );
  const [folder = ''] = positionals;
  const had = existsSync(folder);
  const documents = { from: runsDb(values['runs-db']).rag_folder, to: `${resolve(folder)}.rag` };
  for (const place of [folder, documents.to]) assertFree(place);
  // From the first byte on: a store makes files by the user's own mask.
  process.umask(0o077);
  try {
    await copy(values['runs-db'], folder);
    await makeOwnerOnly(folder);
    const rag = await copyDocuments(documents);
    const ledger = await openLedger(folder, undefined);
    const { verdict, report, fault } = await verify(ledger, []).finally(() => ledger.close());
    const { records, head } = report;
    const bytes = statSync(join(folder, 'data.mdb')).size;
    process.exitCode = verdict === 'broken' ? EXIT_CODES.broken : 0;
    if (values.json) process.stdout.write(`${JSON.stringify({ folder, records, head, bytes, rag, fault })}\n`);
    else if (fault !== null)
      process.stdout.write(`copied, but its ledger is broken (${fault.why}): svc ledger verify tells more\n`);
    else {
      process.stdout.write(`copied: ${records} records, checked one by one, head ${head}\n`);
      if (rag !== null) process.stdout.write(`documents of retrieval are beside it, in ${rag}\n`);
      process.stdout.write('the content key is not in it: without that nobody reads the content of its runs\n');
    }
  } catch (error) {
    // What is there of it is no backup.
    for (const file of existsSync(folder) ? readdirSync(folder) : []) rmSync(join(folder, file), { force: true });
    if (!had) rmSync(folder, { force: true, recursive: true });
    rmSync(documents.to, { force: true, recursive: true });
    if (error instanceof CopyRefused) throw new Refusal(`nothing was copied: ${error.message}`);
    throw isStoreError(error) ? new Refusal(`nothing was copied: ${error.message}`) : error;
  }
}

function assertFree(place: string): void {
  if (existsSync(place) && (!statSync(place).isDirectory() || readdirSync(place).length > 0))
    throw new Refusal(`${place} holds something already: name a folder that is not there`);
}

/**
 * Documents of retrieval, where they are beside the runs-db. Their files are only appended to, or replaced whole, so a copy of one that is
 * in use is at worst cut short in its last append, and that is taken away when it is opened.
 */
async function copyDocuments({ from, to }: { from: string | null; to: string }): Promise<string | null> {
  if (from === null || !existsSync(from)) return null;
  // What is written is renamed when it is whole.
  await cp(from, to, { recursive: true, filter: (path) => !path.endsWith('.new') });
  await makeOwnerOnly(to);
  return to;
}

async function copy(named: string, folder: string): Promise<void> {
  const store = await makeStore(runsDb(named), ownPlugins(), makeParts(silentLogger));
  if (store.backup !== undefined) return pagesOf(store as Store & Required<Pick<Store, 'backup'>>, folder);
  await store.open();
  try {
    await itemsOf(store, folder);
  } finally {
    await store.close();
  }
}

async function pagesOf(store: Required<Pick<Store, 'backup'>>, folder: string): Promise<void> {
  let progress: Progress | null = null;
  let before = 0;
  await store.backup(folder, (bytes, of) => {
    progress ??= new Progress(process.stderr, 'records', { of: 'bytes', count: of });
    progress.advance(0, bytes - before);
    before = bytes;
  });
  (progress as Progress | null)?.end();
}

/** Into a folder, one by one, as one snapshot of the database shows them. */
async function itemsOf(store: Store, folder: string): Promise<void> {
  const target = await makeStore(runsDb(folder), ownPlugins(), makeParts(silentLogger));
  const progress = new Progress(process.stderr, 'records', { of: 'items', count: (await store.head())?.seq ?? 0 });
  let before = 0;
  await target.open();
  try {
    await backUpStore(store, target, ({ record }) => {
      progress.advance(record - before, 0);
      before = record;
    });
  } finally {
    progress.end();
    await target.close();
  }
}
