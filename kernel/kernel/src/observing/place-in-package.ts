import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { CodePlace } from './thrown.ts';

/** Line lengths of the package files in which errors were thrown, by path. */
const lengths = new Map<string, readonly number[]>();

/**
 * The innermost of these places that lies in the package's own files, as `file:line:column` relative to the package. Null if there is none. Ignores
 * places that do not exist in their file.
 * @param directory real path of the package's folder
 */
export function placeInPackage(directory: string, places: readonly CodePlace[]): string | null {
  const found = places.find((place) => isOwn(directory, place.file) && exists(place));
  return found === undefined ? null : `${relative(directory, found.file)}:${found.line}:${found.column}`;
}

function isOwn(directory: string, file: string): boolean {
  return file.startsWith(directory + sep) && !file.slice(directory.length).includes(`${sep}node_modules${sep}`);
}

function exists({ file, line, column }: CodePlace): boolean {
  const length = lengthsOf(file)?.[line - 1];
  return length !== undefined && column >= 1 && column <= length + 1;
}

function lengthsOf(file: string): readonly number[] | null {
  const known = lengths.get(file);
  if (known !== undefined) return known;
  try {
    const read = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.length);
    lengths.set(file, read);
    return read;
  } catch {
    return null;
  }
}
