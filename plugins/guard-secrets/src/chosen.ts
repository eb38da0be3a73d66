import { Search } from './detectors/detector.ts';
import { NAMED_VALUE, PREFIXED, SHAPES } from './detectors/index.ts';
import { NameSearch } from './detectors/name-search.ts';
import { namedValues, VALUE_NAMES } from './detectors/named-value.ts';
import { PrefixSearch } from './detectors/prefix-search.ts';
import { Searches } from './detectors/searches.ts';
import type { Options } from './options.ts';

/** The detectors to run with these options. */
export interface Chosen {
  /** Secrets of bounded length. */
  readonly exact: Searches;
  /** Secrets of any length. If two begin at the same place, that of the first detector wins. */
  readonly endless: Searches;
  readonly allowed: ReadonlySet<string>;
  /** Whether placeholders are found too, because they may be restored. */
  readonly findsPlaceholders: boolean;
}

/** @throws {Error} if no detector is left */
export function choose({ detectors, exclude, entropy, entropy_threshold, allow_list, restore }: Options): Chosen {
  const wanted = (entity: string): boolean => detectors.includes(entity) && !exclude.includes(entity);
  const shapes = SHAPES.filter(({ entity }) => wanted(entity));
  const named = entropy && wanted(NAMED_VALUE);
  const table = PREFIXED.filter(({ entity }) => wanted(entity));
  if (shapes.length + table.length === 0 && !named)
    throw new Error('detectors, exclude and entropy together leave nothing to look for; remove one of them, or the pack');
  const searches = shapes.map((detector) => new Search(detector));
  return {
    exact: new Searches(searches.filter(({ detector }) => detector.continues === undefined)),
    endless: new Searches(
      searches.filter(({ detector }) => detector.continues !== undefined),
      table.length === 0 ? [] : [new PrefixSearch(table)],
      named ? [new NameSearch(VALUE_NAMES, namedValues(entropy_threshold))] : [],
    ),
    allowed: new Set(allow_list),
    findsPlaceholders: restore !== false,
  };
}
