import { closeSync, globSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { characterClass, UPPER } from '../src/names/characters.ts';
import { FIRST_NAME, LAST_NAME, type WordLists } from '../src/names/lists.ts';
import { type Token, tokensOf, WORD } from '../src/names/tokens.ts';
import type { Document, Span } from './documents.ts';

const FILES = ['**/*.md', '**/*.{js,mjs,cjs,ts,mts}', '**/*.{map,json,yml,py,sh,go,c,h,css}'];
/** From a package, this many files of each kind are read, and this many characters of each. */
const MAX_FILES = 6;
const MAX_CHARACTERS = 6000;
/** Lines that name people. */
const NAMES_PEOPLE =
  /copyright|©|\(c\)|author|contribut|maintain|licen[cs]e|created by|written by|credit|thank|sponsor|inspired|based on|courtesy|@|github\.com\/[\w-]+\)|team|collaborat|reported|et al/i;

/**
 * Code and texts about code, from the packages in a folder `node_modules`. They contain almost no names of people. Lines that announce some are left
 * out, and what looks like a full name is marked as unknown.
 */
export function codeDocuments(modules: string, lists: WordLists): Document[] {
  const documents: Document[] = [];
  for (const pattern of FILES) {
    const read = new Map<string, number>();
    for (const path of globSync(pattern, { cwd: modules }).sort()) {
      const [scope = '', name = ''] = path.split('/');
      const owner = scope.startsWith('@') ? `${scope}/${name}` : scope;
      const count = read.get(owner) ?? 0;
      const file = join(modules, path);
      if (count >= MAX_FILES || scope === '@svc' || !statSync(file).isFile()) continue;
      read.set(owner, count + 1);
      const text = beginning(file)
        .split('\n')
        .filter((line) => !NAMES_PEOPLE.test(line))
        .join('\n');
      documents.push({ text, spans: fullNames(text, lists), invented: false, pattern: path });
    }
  }
  return documents;
}

function beginning(path: string): string {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(MAX_CHARACTERS);
  const length = readSync(file, bytes, 0, MAX_CHARACTERS, Math.max(0, Math.floor((statSync(path).size - MAX_CHARACTERS) / 2)));
  closeSync(file);
  return bytes.toString('utf8', 0, length).replace(/^[^\n]*\n/, '');
}

/** Two adjacent capitalised words, one of them a given name and the other a surname. */
function fullNames(text: string, lists: WordLists): Span[] {
  const tokens = tokensOf(text);
  return tokens.flatMap((token, at) => {
    const next = tokens[at + 1];
    if (next === undefined || next.gap !== 1 || !isCapitalised(text, token) || !isCapitalised(text, next)) return [];
    const isFull = (lists.of(token.hash) & FIRST_NAME) !== 0 && (lists.of(next.hash) & (LAST_NAME | FIRST_NAME)) !== 0;
    return isFull ? [{ label: 'UNKNOWN' as const, start: token.start, end: next.end }] : [];
  });
}

function isCapitalised(text: string, { kind, start }: Token): boolean {
  return kind === WORD && characterClass(text.charCodeAt(start)) === UPPER;
}
