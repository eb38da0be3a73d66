import { LinkifyIt } from 'linkify-it';
import type { Recogniser } from './recogniser.ts';

/** Maximum length in code units. A longer link is found up to here. */
const MAX_URL = 2048;

const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyEmail: false, fuzzyIP: false }).add('mailto:', null);

/** Top-level domains that are more often file extensions. A link with one needs a scheme, `www.` or a path. */
const FILES = /^(?!www\.)[^/:?#]+\.(?:py|rs|md|sh|cc|so|ps|zip|mov)$/i;

/** Links with a scheme or `www.`, and names under a known top-level domain. */
export const url: Recogniser = {
  entity_type: 'URL',
  anchor: 'none',
  reach: MAX_URL + 1,
  before: MAX_URL + 1,
  encoded: true,
  *find(text, from) {
    for (const { start, end } of runsWithSigns(text, from)) {
      for (const { index, lastIndex, raw } of linkify.match(text.slice(start, end)) ?? []) {
        if (!FILES.test(raw)) yield { start: start + index, end: start + lastIndex, score: 0.6 };
      }
    }
  },
  openFrom(text) {
    let start = text.length;
    while (start > 0 && !isSpace(text.charCodeAt(start - 1))) start -= 1;
    return start;
  },
};

/** Runs without a space that contain a dot or `://` at `from` or later. Of a long run, only the beginning. */
function* runsWithSigns(text: string, from: number) {
  SIGN.lastIndex = from;
  for (let sign = SIGN.exec(text); sign !== null; sign = SIGN.exec(text)) {
    const start = runStart(text, sign.index);
    const end = runEnd(text, sign.index);
    if (start !== null) yield { start, end: Math.min(end, start + MAX_URL) };
    SIGN.lastIndex = end;
  }
}
const SIGN = /\.|:\/\//g;

/** The start of a run. Null if it is too far back. */
function runStart(text: string, at: number): number | null {
  let start = at;
  while (start > 0 && at - start < MAX_URL && !isSpace(text.charCodeAt(start - 1))) start -= 1;
  return start > 0 && !isSpace(text.charCodeAt(start - 1)) ? null : start;
}

function runEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isSpace(text.charCodeAt(end))) end += 1;
  return end;
}

/** Does the same as `\s`, which is too slow for every character. */
function isSpace(code: number): boolean {
  if (code < 0x1680) return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
  return code === 0x1680 || (code >= 0x2000 && code <= 0x200a) || RARE_SPACES.has(code);
}
const RARE_SPACES: ReadonlySet<number> = new Set([0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);
