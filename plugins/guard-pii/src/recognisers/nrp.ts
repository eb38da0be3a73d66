import { NRP_WORDS } from './nrp-words.ts';
import type { Recogniser } from './recogniser.ts';

const WORD = /\p{L}{3,20}/gu;

/** Nationalities, faiths and political parties, from a list. */
export const nrp: Recogniser = {
  entity_type: 'NRP',
  anchor: 'none',
  *find(text, from) {
    WORD.lastIndex = from;
    const before = text.charAt(from - 1);
    // What begins before is not whole.
    if (/\p{L}/u.test(before))
      while (WORD.lastIndex < text.length && /\p{L}/u.test(text.charAt(WORD.lastIndex))) WORD.lastIndex += 1;
    let at = WORD.lastIndex;
    for (;;) {
      WORD.lastIndex = at;
      const found = WORD.exec(text);
      if (found === null) return;
      at = WORD.lastIndex;
      const isWhole = !/[\p{L}\d_]/u.test(text.charAt(at)) && !/[\p{L}\d_]/u.test(text.charAt(found.index - 1));
      if (isWhole && NRP_WORDS.has(found[0].toLowerCase())) yield { start: found.index, end: at, score: 0.6 };
      while (at < text.length && /\p{L}/u.test(text.charAt(at))) at += 1;
    }
  },
};
