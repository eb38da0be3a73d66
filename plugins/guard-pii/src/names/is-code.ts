import { isAnnounced } from './candidates.ts';
import { isPlainTerm, isTerm } from './code-terms.ts';
import { COMMON, ENGLISH, FIRST_NAME, LAST_NAME, type WordLists } from './lists.ts';
import type { Run } from './runs.ts';
import { BREAK, CAPITALS, SIGN, SMALL, type Token, WORD } from './tokens.ts';
import { hashOf } from './words.ts';

/** A longer word in capitals may be a name. */
const LONGEST_ACRONYM = 3;
const BACKTICK = 96;
/** Signs that come before the start of a sentence, an item or a comment. */
const BEGINS = new Set([...'.!?:;*-#>|/"(•–—'].map((sign) => sign.charCodeAt(0)));
/** Words after an imperative verb: `Mark it as done`, `Grant all`. */
const OBJECTS = new Set(
  'it them this that these those the a an all any each every your its as only both another one'.split(' ').map(hashOf),
);

/**
 * Whether a supposed person's name is really a word of code or of texts about code: an identifier, an acronym, a program, an instruction. A name
 * after a cue such as `name:` is not. Depends on the name, the text that {@link isAnnounced} reads, and one token after the name.
 */
export function isCode(text: string, { first, last }: Run, tokens: readonly Token[], lists: WordLists): boolean {
  const own = tokens.slice(first, last + 1).filter(({ kind }) => kind === WORD);
  const words = own.map(({ start, end }) => text.slice(start, end).toLowerCase());
  const isPlain = (word: string): boolean => isPlainTerm(word, lists);
  const isListed = (word: string): boolean => (lists.of(hashOf(word)) & (FIRST_NAME | LAST_NAME)) !== 0;
  /** `name: ingress-ok` */
  const isLabel = (word: string): boolean => word.includes('-') && !word.split('-').some(isListed);
  const isSmall = own.every(({ shape }) => shape === SMALL);
  if (isAnnounced(tokens, first, 0)) return isSmall && words.length > 0 && (words.every(isPlain) || words.every(isLabel));
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

/** Whether the token follows a backtick. */
function isQuoted(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return isBacktick(before) && tokens[at]?.gap === 0;
}

/** Whether the next word makes the token a verb. */
function isBeforeObject(tokens: readonly Token[], at: number): boolean {
  const behind = tokens[at + 1];
  return behind !== undefined && behind.gap > 0 && behind.shape === SMALL && OBJECTS.has(behind.hash);
}

/** Whether the token starts a sentence, a line, a list item or a comment, where a capital letter means nothing. */
function begins(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before === undefined || before.kind === BREAK || (before.kind === SIGN && BEGINS.has(before.hash));
}

function isBacktick(token: Token | undefined): boolean {
  return token?.kind === SIGN && token.hash === BACKTICK;
}
