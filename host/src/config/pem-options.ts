import { resolve } from 'node:path';
import { isObject, type JsonObject } from '@svc/contracts';
import { PEM } from '@svc/toolkit/network';
import type { Path } from './diagnostic.ts';
import { readRegularFile } from './regular-file.ts';
import { parseSecretReference } from './secret-reference.ts';
import { partsOf } from './write-only.ts';

/**
 * Options for connections. A `secret://file/` reference in an option that takes PEM is replaced with the file's path, because the file is read again
 * when it changes. Other references stay.
 */
export async function withPemFiles(schema: unknown, options: JsonObject, directory: string): Promise<JsonObject> {
  const files = new Map<string, string>();
  for (const { path, value } of partsOf(schema, options, ({ contentMediaType }) => contentMediaType === PEM)) {
    const reference = typeof value === 'string' ? parseSecretReference(value) : null;
    if (reference?.backend !== 'file') continue;
    const file = resolve(directory, reference.path);
    const bytes = await readRegularFile(file).catch(() => null);
    if (bytes?.toString('latin1').trimStart().startsWith('-----BEGIN ')) files.set(JSON.stringify(path), file);
  }
  const replaced = (value: unknown, path: Path): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => replaced(item, [...path, index]));
    if (!isObject(value)) return files.get(JSON.stringify(path)) ?? value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replaced(child, [...path, key])]));
  };
  return files.size === 0 ? options : (replaced(options, []) as JsonObject);
}
