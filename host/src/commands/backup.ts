import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorMessage, isStoreError, type Store } from '@svc/contracts';
import { backUpStore, CopyRefused } from '@svc/runtime/records';
import { ownPlugins } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import { runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { styled } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { damageIn } from './damage.ts';
import { isolated } from './isolated.ts';
import { EXIT_CODES } from './ledger-keys.ts';
import { openLedger } from './ledger-source.ts';
import { verify } from './ledger-verify.ts';
import type { Fault, Verified } from './ledger-words.ts';
import { makeOwnerOnly } from './owner-only.ts';
import { Progress } from './progress.ts';

/**
 * `svc backup DIR [--runs-db DIR|URL] [--json]`: copies the state of a runs-db at one moment, whether or not a server uses it. Then opens the copy
 * and verifies its ledger; exit code 4 if the ledger is broken. The content key is not included. Retrieval documents beside the runs-db are copied
 * beside the copy, as `DIR.rag`.
 */
export async function backup(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    { 'runs-db': { type: 'string', default: 'runs-db' }, json: { type: 'boolean', default: false } },
    ['DIR'],
  );
  const [folder = ''] = positionals;
  const asked: Asked = { named: values['runs-db'], json: values.json, folder, had: existsSync(folder) };
  for (const place of [folder, documentsOf(asked).to]) assertFree(place);
  // Set before the first file is created, because a store creates files with the user's umask.
  process.umask(0o077);
  await isolated(
    () => copyAndCheck(asked),
    ({ signal }) => {
      const what = `the process that reads the runs-db was killed by ${signal}`;
      removeCopy(asked);
      sayNothingCopied(asked, `${what}: the runs-db is damaged`, { why: 'damaged', what });
    },
  );
}

interface Asked {
  readonly named: string;
  readonly json: boolean;
  readonly folder: string;
  /** Whether the folder existed already and was empty. */
  readonly had: boolean;
}

interface Documents {
  readonly from: string | null;
  readonly to: string;
}

function documentsOf({ named, folder }: Asked): Documents {
  return { from: runsDb(named).rag_folder, to: `${resolve(folder)}.rag` };
}

async function copyAndCheck(asked: Asked): Promise<void> {
  const { named, folder } = asked;
  try {
    // Copied before the runs: the key of a document is in the store before the document is written.
    const rag = await copyDocuments(documentsOf(asked));
    await copy(named, folder);
    await makeOwnerOnly(folder);
    const ledger = await openLedger(folder);
    sayCopied(asked, rag, await verify(ledger, []).finally(() => ledger.close()));
  } catch (error) {
    removeCopy(asked);
    const message = errorMessage(error);
    const fault = error instanceof CopyRefused ? error.fault : damageIn(error);
    if (fault !== null) sayNothingCopied(asked, message, fault);
    else throw error instanceof CopyRefused || isStoreError(error) ? new CliError(`nothing was copied: ${message}`) : error;
  }
}

function sayCopied({ folder, json }: Asked, rag: string | null, { verdict, report, fault }: Verified): void {
  const { records, head } = report;
  const bytes = statSync(join(folder, 'data.mdb')).size;
  process.exitCode = verdict === 'broken' ? EXIT_CODES.broken : 0;
  if (json) process.stdout.write(`${JSON.stringify({ folder, records, head, bytes, rag, fault })}\n`);
  else if (fault !== null)
    process.stdout.write(
      `copied, but the ledger in the copy is broken (${fault.why}): run svc ledger verify ${folder} for details\n`,
    );
  else {
    process.stdout.write(`copied ${records} records and verified them with their runs; head ${head}\n`);
    if (rag !== null) process.stdout.write(`copied the retrieval documents to ${rag}\n`);
    process.stdout.write(
      'the content key is not included: back it up separately; without it the content of runs cannot be decrypted\n',
    );
  }
}

function sayNothingCopied({ folder, json }: Asked, what: string, fault: Fault): void {
  process.stderr.write(`${styled('red', 'svc:', process.stderr)} nothing was copied: ${what}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ folder, records: 0, head: null, bytes: 0, rag: null, fault })}\n`);
  process.exitCode = EXIT_CODES.broken;
}

/** Removes an incomplete copy, which is not a backup. */
function removeCopy(asked: Asked): void {
  const { folder, had } = asked;
  for (const file of existsSync(folder) ? readdirSync(folder) : []) rmSync(join(folder, file), { force: true });
  if (!had) rmSync(folder, { force: true, recursive: true });
  rmSync(documentsOf(asked).to, { force: true, recursive: true });
}

function assertFree(place: string): void {
  if (existsSync(place) && (!statSync(place).isDirectory() || readdirSync(place).length > 0))
    throw new CliError(`${place} is not empty: choose a new folder`);
}

/**
 * Copies retrieval documents that are beside the runs-db. Their files are only appended to, or replaced as a whole. So a copy that is made during use
 * has at worst an incomplete last append, which is removed when the copy is opened.
 */
async function copyDocuments({ from, to }: Documents): Promise<string | null> {
  if (from === null || !existsSync(from)) return null;
  // `.new` files are incomplete, so they are skipped.
  await cp(from, to, { recursive: true, filter: (path) => !path.endsWith('.new') });
  await makeOwnerOnly(to);
  return to;
}

async function copy(named: string, folder: string): Promise<void> {
  const store = await makeStore(runsDb(named), ownPlugins(), newHost(silentLogger));
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

/** Copies a database to a folder, item by item, in one snapshot. */
async function itemsOf(store: Store, folder: string): Promise<void> {
  const target = await makeStore(runsDb(folder), ownPlugins(), newHost(silentLogger));
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
