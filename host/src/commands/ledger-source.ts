import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { canonicalJson } from '@svc/kernel';
import { makeParts, makeStore, ownPlugins } from '../compose.ts';
import { silentLogger } from '../logger.ts';
import { type RunsDb, runsDb } from '../runs-db.ts';
import { Refusal } from './refusal.ts';

const PAGE = 1000;

/** The records of a ledger from its first, as stored bytes. */
export function recordsOf(source: string, key: string | undefined): AsyncIterable<string> {
  if (/^https?:\/\//.test(source)) return recordsOfServer(source, key);
  const db = runsDb(source);
  if (db.type === 'postgres') return recordsOfStore(db);
  if (!existsSync(source)) {
    throw new Refusal(
      `${source} is not there: give a runs-db (a folder, or a URL that begins with postgres://), a file of JSON lines, or a URL that begins with http:// or https://`,
    );
  }
  if (!statSync(source).isDirectory()) return recordsOfFile(source);
  if (!existsSync(join(source, 'data.mdb'))) throw new Refusal(`${source} holds no runs-db`);
  return recordsOfStore(db);
}

async function* recordsOfFile(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield line;
  }
}

async function* recordsOfStore(db: RunsDb): AsyncGenerator<string> {
  const store = await makeStore(db, ownPlugins(), makeParts(silentLogger));
  try {
    await store.open().catch((error: unknown) => {
      throw new Refusal(error instanceof Error ? error.message : 'the runs-db cannot be opened');
    });
    for (let since_seq = 0, count = PAGE; count === PAGE; ) {
      const page = await store.records({ since_seq, limit: PAGE });
      for (const { seq, bytes } of page) {
        yield bytes;
        since_seq = seq;
      }
      count = page.length;
    }
  } finally {
    await store.close();
  }
}

/** A server sends records inside an array; each is brought back to the canonical form that was sealed. */
async function* recordsOfServer(url: string, key: string | undefined): AsyncGenerator<string> {
  for (let next: URL | null = new URL('/v1/audit/ledger', url); next !== null; ) {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response: Response = await fetch(next, { headers }).catch(() => {
      throw new Refusal(`${url} cannot be reached: is the server running?`);
    });
    if (!response.ok)
      throw new Refusal(`${url} answered ${response.status}; the key comes from SVC_KEY and needs the role audit`);
    const { records }: { records?: unknown[] } = JSON.parse(await response.text());
    for (const record of records ?? []) yield canonicalJson(record);
    const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    next = link === undefined ? null : new URL(link, next);
  }
}
