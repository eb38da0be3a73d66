import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Options } from './options.ts';

const MAX_BYTES = 1_048_576;

/**
 * The configured schema. Null: any JSON is valid.
 * @throws {Error} with the key and the remedy
 */
export function schemaOf({ schema, schema_file }: Options, directory: string): Record<string, unknown> | null {
  if (schema !== undefined && schema_file !== undefined) throw new Error('schema: give either schema or schema_file, not both');
  if (schema_file === undefined) return schema ?? null;
  const value = parsed(textOf(resolve(directory, schema_file)));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('schema_file: must hold a JSON Schema, which is a JSON object');
  }
  return { ...value };
}

function textOf(path: string): string {
  try {
    const found = statSync(path);
    // Reading a pipe would block the process.
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > MAX_BYTES) throw new Error('it is larger than 1 MiB');
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Error(`schema_file: cannot be read (${code}); its path is relative to the configuration file`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('schema_file: is not valid JSON');
  }
}
