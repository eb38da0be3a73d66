import { type Found, placeholderFinder, type Search, searchThrough, searchWith, withoutOverlaps } from '@svc/sdk/masking';
import { NAME_ENTITIES, recognisersOf } from './entities.ts';
import { nameFinder } from './name-finder.ts';
import { compileRecogniser } from './operator-recogniser.ts';
import { patternFinder } from './pattern-finder.ts';
import { NO_NAMES } from './recognisers/nrp-words.ts';
import type { Recogniser } from './recognisers/recogniser.ts';
import type { ScanSettings } from './settings.ts';

/** Finds all that these settings ask for, in texts that are there and in texts that come. */
export interface Scanner {
  /** Begins with a new text. */
  searches(): readonly Search[];
  /** What stands in a whole text, from left to right. */
  find(text: string): readonly Found[];
}

/** @throws {Error} for a pattern of the operator's that RE2 does not take */
export function makeScanner({ entities, threshold, recognizers }: ScanSettings): Scanner {
  const recognisers = recognisersOf(entities);
  const finders = byReach(recognisers).map((alike) => patternFinder(alike, threshold));
  const names = new Set(NAME_ENTITIES.filter((entity) => entities.includes(entity)));
  if (names.size > 0) finders.push(nameFinder(names, threshold, labelsOf(recognisers)));
  const own = recognizers.map((written, index) => compileRecogniser(written, index, threshold));
  const searches = (): Search[] => [
    searchWith(placeholderFinder),
    ...finders.map((finder) => searchThrough(searchWith(finder))),
    ...own.map((recogniser) => searchThrough(recogniser.search())),
  ];
  return {
    searches,
    find(text) {
      const found = searches().map((search) => search.advance(text, true));
      return withoutOverlaps(
        found.flatMap((answer) => (answer instanceof Promise ? [] : answer)),
        text.length,
      );
    },
  };
}

/** What is found far from where it begins is searched for by itself, so that the rest need not be searched for again as far. */
function byReach(recognisers: readonly Recogniser[]): readonly (readonly Recogniser[])[] {
  return [...new Set(recognisers.map(({ reach }) => reach))].map((own) => recognisers.filter(({ reach }) => reach === own));
}

/** Words that the tagger may take for names, and that are none. */
function labelsOf(recognisers: readonly Recogniser[]): ReadonlySet<string> {
  return new Set([...NO_NAMES, ...recognisers.flatMap(({ context }) => [...(context?.for ?? [])])]);
}
