import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import { FOR_TESTS } from './for-tests.ts';

/** A regular expression literal in a source file, or a place where one is constructed. */
export interface Written {
  readonly file: string;
  readonly line: number;
  /** Null if it is constructed. */
  readonly pattern: RegExp | null;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * All regular expressions in the non-test files of these folders.
 * @throws {SyntaxError} for a file that cannot be parsed
 */
export function writtenIn(folders: readonly string[]): Written[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).filter((file) => !FOR_TESTS.test(file));
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const lineOf = (start: number): number => source.slice(0, start).split('\n').length;
    return [...found(parseAst(source, { lang: 'ts' }, file))].map(({ start, pattern }) => ({
      file,
      line: lineOf(start),
      pattern,
    }));
  });
}

function* found(node: unknown): Generator<{ start: number; pattern: RegExp | null }> {
  if (typeof node !== 'object' || node === null) return;
  const { type, start, regex, callee } = node as Record<string, unknown> & { start: number };
  if (type === 'Literal' && isRegex(regex)) yield { start, pattern: new RegExp(regex.pattern, regex.flags) };
  if ((type === 'NewExpression' || type === 'CallExpression') && isRegExp(callee)) yield { start, pattern: null };
  for (const [key, inner] of Object.entries(node)) if (key !== 'regex') yield* found(inner);
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null;
}

function isRegExp(callee: unknown): boolean {
  return typeof callee === 'object' && callee !== null && 'name' in callee && callee.name === 'RegExp';
}
