import { type Found, placeholderFinder, type Search, searchThrough, searchWith, withoutOverlaps } from '@svc/toolkit/masking';
import { type Steps, slices } from '@svc/toolkit/work';
import { NAME_ENTITIES, recognisersOf } from './entities.ts';
import { isAny } from './languages/languages.ts';
import { searchInLanguages } from './languages/search-in-languages.ts';
import { nameFinder } from './name-finder.ts';
import { compileRecogniser } from './operator-recogniser.ts';
import { patternFinder } from './pattern-finder.ts';
import { searchDecoded } from './percent-encoding.ts';
import { searchPlain } from './plain-signs.ts';
import type { Recogniser } from './recognisers/recogniser.ts';
import type { ScanSettings } from './settings.ts';

/** Finds the configured entities, in whole texts and in streams. */
export interface Scanner {
  /** New searches for a new text. */
  searches(): readonly Search[];
  /** The findings in a whole text, from left to right. */
  find(text: string): Steps<readonly Found[]>;
}

/** How many code units are searched in one step, some milliseconds. Tokens and findings take up to a hundred times the memory of their text. */
const WINDOW = 16_384;

/** @throws {Error} if an operator's pattern is not valid RE2 syntax */
export function makeScanner({
  entities,
  threshold,
  languages,
  recognizers,
}: Omit<ScanSettings, 'names_in_instructions'>): Scanner {
  const recognisers = recognisersOf(entities);
  const patterns = groupsOf(recognisers).map((alike) => ({
    finder: patternFinder(alike, threshold),
    search: alike[0]?.encoded === true ? searchAsWritten : searchDecoded,
  }));
  const names = new Set(NAME_ENTITIES.filter((entity) => entities.includes(entity)));
  const tagger = names.size > 0 ? [nameFinder(names, threshold, labelsOf(recognisers))] : [];
  const inLanguages = (search: Search): Search => (isAny(languages) ? search : searchInLanguages(search, languages));
  const own = recognizers.map((written, index) => compileRecogniser(written, index, threshold));
  const searches = (): Search[] => [
    searchWith(placeholderFinder),
    ...patterns.map(({ finder, search }) => search(searchThrough(searchPlain(searchWith(finder))))),
    ...tagger.map((finder) => searchDecoded(searchThrough(inLanguages(searchWith(finder))))),
    ...own.map((recogniser) => searchThrough(recogniser.search())),
  ];
  return {
    searches,
    *find(text) {
      const found: Found[] = [];
      for (const search of searches()) yield* foundBy(search, text, found);
      return withoutOverlaps(found, text.length);
    },
  };
}

const searchAsWritten = (search: Search): Search => search;

function* foundBy(search: Search, text: string, found: Found[]): Steps<void> {
  const advance = (piece: string, ended: boolean): void => {
    const answer = search.advance(piece, ended);
    if (!(answer instanceof Promise)) for (const finding of answer) found.push(finding);
  };
  for (const slice of slices(text, WINDOW)) {
    advance(slice, false);
    yield;
  }
  advance('', true);
}

/** Groups recognisers that read the same text and have the same reach, so that only those with a long reach search that far again. */
function groupsOf(recognisers: readonly Recogniser[]): readonly (readonly Recogniser[])[] {
  return [...Map.groupBy(recognisers, ({ reach, encoded }) => `${reach} ${encoded}`).values()];
}

/** Words that the name model may mistake for names. */
function labelsOf(recognisers: readonly Recogniser[]): ReadonlySet<string> {
  return new Set(recognisers.flatMap(({ context }) => [...(context?.for ?? [])]));
}
