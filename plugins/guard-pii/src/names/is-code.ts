import { isAnnounced } from './candidates.ts';
import { isPlainTerm, isTerm } from './code-terms.ts';
import { COMMON, ENGLISH, FIRST_NAME, LAST_NAME, type WordLists } from './lists.ts';
import type { Run } from './runs.ts';
import { BREAK, CAPITALS, SIGN, SMALL, type Token, WORD } from './tokens.ts';
import { hashOf } from './words.ts';

/** A longer word in capitals may be a name. */
const LONGEST_ACRONYM = 3;
const BACKTICK = 96;
/** Signs after which a sentence, an item or a comment begins. */
const BEGINS = new Set([...'.!?:;*-#>|/"(•–—'].map((sign) => sign.charCodeAt(0)));
/** What follows a verb that tells what to do: `Mark it as done`, `Grant all`. */
const OBJECTS = new Set(
  'it them this that these those the a an all any each every your its as only both another one'.split(' ').map(hashOf),
);

/**
 * Whether what was taken for a person's name is a word of code, or of texts about it: an identifier, an acronym, a program, an instruction. What
 * a cue such as `name:` announces is none. Rests on the name, what {@link isAnnounced} rests on, and one token behind.
 */
export function isCode(text: string, { first, last }: Run, tokens: readonly Token[], lists: WordLists): boolean {
  const own = tokens.slice(first, last + 1).filter(({ kind }) => kind === WORD);
  const words = own.map(({ start, end }) => text.slice(start, end).toLowerCase());
  const isPlain = (word: string): boolean => isPlainTerm(word, lists);
  const isListed = (word: string): boolean => (lists.of(hashOf(word)) & (FIRST_NAME | LAST_NAME)) !== 0;
  const isSmall = own.every(({ shape }) => shape === SMALL);
  if (isAnnounced(tokens, first, 0)) return isSmall && words.length > 0 && words.every(isPlain);
  if (words.some(isPlain) && words.every((word) => isTerm(word) || isPlain(word))) return true;
  if (isSmall && words.some(isTerm) && words.every((word) => isTerm(word) || !isListed(word))) return true;
  const [word] = words;
  const [token] = own;
  if (first !== last || word === undefined || token === undefined) return false;
  const isEnglish = (lists.of(hashOf(word)) & (ENGLISH | COMMON)) !== 0;
  if (!isTerm(word) && !isEnglish) return false;
  if (isQuoted(tokens, first) || isBacktick(tokens[first + 1])) return true;
  if (isAcronym(token) && (isTerm(word) || !isListed(word))) return true;
  return begins(tokens, first) && (!isListed(word) || isBeforeObject(tokens, first));
}

function isAcronym({ shape, start, end }: Token): boolean {
  return shape === CAPITALS && end - start <= LONGEST_ACRONYM;
}

/** Whether it follows a backtick. */
function isQuoted(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return isBacktick(before) && tokens[at]?.gap === 0;
}

/** Whether what follows makes it a verb. */
function isBeforeObject(tokens: readonly Token[], at: number): boolean {
  const behind = tokens[at + 1];
  return behind !== undefined && behind.gap > 0 && behind.shape === SMALL && OBJECTS.has(behind.hash);
}

/** Whether a sentence, a line, an item of a list or a comment begins with it: there a capital says nothing. */
function begins(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before === undefined || before.kind === BREAK || (before.kind === SIGN && BEGINS.has(before.hash));
}

function isBacktick(token: Token | undefined): boolean {
  return token?.kind === SIGN && token.hash === BACKTICK;
}
