import type { Document, Span } from './documents.ts';

/** A word of a treebank in CoNLL-U. `start` and `end` are its offsets in the text of its sentence. */
interface Word {
  readonly form: string;
  readonly lemma: string;
  readonly start: number;
  readonly end: number;
}

/** Words that may be part of a name between two others: `Charles de Gaulle`. */
const MAX_BETWEEN = 2;

/**
 * Labels the persons of a translation. A name there is a run of words, or their lemmas, that are words of the persons of the English sentence.
 * @param file a treebank in CoNLL-U whose sentences have a line `# text_en = `
 * @param english the labelled sentences, by their text
 */
export function translated(file: string, english: ReadonlyMap<string, Document<string>>): Document<'PERSON'>[] {
  return file.split(/\n\s*\n/).flatMap((block) => {
    const text = commentOf(block, 'text');
    const original = english.get(commentOf(block, 'text_en') ?? '');
    if (text === undefined || original === undefined) return [];
    return [{ text, spans: personsIn(text, wordsOf(block, text), original), invented: false, pattern: text }];
  });
}

function commentOf(block: string, name: string): string | undefined {
  const begin = `# ${name} = `;
  return block
    .split('\n')
    .find((line) => line.startsWith(begin))
    ?.slice(begin.length)
    .trim();
}

/** Parts of contracted words that are not in the text have no offsets and are left out. */
function wordsOf(block: string, text: string): Word[] {
  const words: Word[] = [];
  let from = 0;
  for (const line of block.split('\n')) {
    const [id = '', form = '', lemma = ''] = line.split('\t');
    const start = /^\d+$/.test(id) ? text.indexOf(form, from) : -1;
    if (start < 0 || start > from + form.length + 2) continue;
    from = start + form.length;
    words.push({ form, lemma, start, end: from });
  }
  return words;
}

function personsIn(text: string, words: readonly Word[], { text: english, spans }: Document<string>): Span<'PERSON'>[] {
  const named = (label: (is: boolean) => boolean): Set<string> =>
    new Set(
      spans
        .filter((span) => label(span.label === 'PERSON'))
        .flatMap(({ start, end }) => english.slice(start, end).split(/[\s.]+/))
        .filter((word) => word.length > 1),
    );
  const others = named((isPerson) => !isPerson);
  const persons = [...named((isPerson) => isPerson)].filter((word) => !others.has(word));
  const own = new Set(persons.filter((word) => /^\p{Lu}/u.test(word)));
  const isOwn = ({ form, lemma }: Word): boolean => /^\p{Lu}/u.test(form) && (own.has(form) || own.has(lemma));
  const isBetween = ({ form }: Word): boolean => persons.includes(form) || /^\p{Lu}\.?$/u.test(form);
  const found: Span<'PERSON'>[] = [];
  let last = -1;
  for (const [at, word] of words.entries()) {
    if (!isOwn(word)) continue;
    const before = found.at(-1);
    const between = words.slice(last + 1, at);
    const isNext =
      between.length <= MAX_BETWEEN && between.every(isBetween) && !text.slice(words[last]?.end, word.start).includes(',');
    if (before !== undefined && isNext) found[found.length - 1] = { ...before, end: word.end };
    else found.push({ label: 'PERSON', start: word.start, end: word.end });
    last = at;
  }
  return found;
}
