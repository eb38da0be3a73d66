import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isObject } from '@svc/contracts';
import { CliError } from '../errors/cli-error.ts';
import type { Found } from '../try/example.ts';
import { linesFrom } from './text-lines.ts';

/** As long as a request may be, unless the configuration says otherwise. */
const MAX_BYTES = 32 * 1024 * 1024;
const LINES: readonly string[] = ['.jsonl', '.ndjson'];

/** All files of the paths, in order. Folders are read with their subfolders, but hidden files and links are left out. @throws {CliError} */
export async function filesIn(paths: readonly string[]): Promise<{ readonly path: string; readonly bytes: number }[]> {
  const files: { path: string; bytes: number }[] = [];
  for (const path of paths) {
    const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`cannot read ${path} (${error.code})`);
    });
    if (!facts.isDirectory()) files.push({ path, bytes: facts.size });
    else for await (const file of filesUnder(path)) files.push(file);
  }
  return files;
}

async function* filesUnder(folder: string): AsyncGenerator<{ path: string; bytes: number }> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile()) yield { path, bytes: (await stat(path)).size };
  }
}

/** The examples of a file. At most one is in memory. */
export async function* examplesOf({ path, bytes }: { readonly path: string; readonly bytes: number }): AsyncGenerator<Found> {
  const kind = extname(path).toLowerCase();
  if (LINES.includes(kind)) yield* linesOf(path, createReadStream(path, 'utf8'));
  else if (bytes > MAX_BYTES) yield { source: path, bytes, problem: 'is larger than 32 MiB' };
  else {
    const text = await readFile(path, 'utf8');
    if (kind === '.json') yield* valuesOf(path, text);
    else if (text.includes('\0')) yield { source: path, bytes, problem: 'is not a text file' };
    else yield { source: path, bytes, value: text };
  }
}

/** One JSON value a line. Empty lines are skipped. */
export async function* linesOf(path: string, pieces: AsyncIterable<string>): AsyncGenerator<Found> {
  let number = 0;
  for await (const line of linesFrom(pieces)) {
    number += 1;
    const [source, bytes] = [`${path}:${number}`, Buffer.byteLength(line) + 1];
    if (line.trim() === '') continue;
    if (bytes > MAX_BYTES) yield { source, bytes, problem: 'is larger than 32 MiB' };
    else yield { source, bytes, ...parsed(line) };
  }
}

function* valuesOf(path: string, text: string): Generator<Found> {
  const bytes = Buffer.byteLength(text);
  const { value, problem } = parsed(text);
  if (!Array.isArray(value)) yield problem === undefined ? { source: path, bytes, value } : { source: path, bytes, problem };
  else for (const [n, each] of value.entries()) yield { source: `${path}:${n + 1}`, bytes: n === 0 ? bytes : 0, value: each };
}

function parsed(json: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) || Array.isArray(value) ? { value } : { problem: 'is not a JSON object or array' };
  } catch {
    return { problem: 'is not JSON' };
  }
}
