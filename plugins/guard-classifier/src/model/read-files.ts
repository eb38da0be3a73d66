import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const REQUIRED = ['config.json', 'model.onnx', 'tokenizer.json'];
const OPTIONAL = ['tokenizer_config.json'];

/** The files of a model, by name, as they were when their digest was computed. */
export type ModelFiles = ReadonlyMap<string, Buffer>;

/**
 * Reads the files of a model and checks their digest: the SHA-256 of what `sha256sum` prints for them in alphabetical order.
 * @throws {Error} with the name of the file or the folder, and the digest found
 */
export async function readFiles(folder: string, sha256: string): Promise<ModelFiles> {
  const files = new Map<string, Buffer>();
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const bytes = await read(join(folder, name), REQUIRED.includes(name));
    if (bytes !== null) files.set(name, bytes);
  }
  const found = digestOf(files);
  if (found !== sha256) throw new Error(`the files in ${folder} have the sha256 ${found}, but the configuration has ${sha256}`);
  return files;
}

function digestOf(files: ModelFiles): string {
  const sums = [...files].map(([name, bytes]) => `${hashOf(bytes)}  ${name}\n`);
  return hashOf(sums.join(''));
}

function hashOf(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

async function read(path: string, isRequired: boolean): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    if (code === 'ENOENT' && !isRequired) return null;
    throw new Error(`cannot read ${path} (${code})`);
  }
}

/** @throws {Error} with the path, if the file is not a JSON object */
export function jsonIn(files: ModelFiles, folder: string, name: string): Readonly<Record<string, unknown>> {
  const path = join(folder, name);
  let value: unknown;
  try {
    value = JSON.parse(files.get(name)?.toString('utf8') ?? '{}');
  } catch {
    throw new Error(`${path} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${path} is not a JSON object`);
  return value as Readonly<Record<string, unknown>>;
}
