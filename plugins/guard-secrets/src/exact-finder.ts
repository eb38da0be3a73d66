import type { Finder, Found } from '@svc/toolkit/masking';
import type { Chosen } from './chosen.ts';

/** A finder for the secrets of bounded length. */
export function exactFinder({ exact, allowed }: Pick<Chosen, 'exact' | 'allowed'>): Finder {
  return {
    context: exact.context,
    reach: exact.reach,
    find(text, from): readonly Found[] {
      return exact
        .likely(text, from)
        .flatMap((search) =>
          [...{ [Symbol.iterator]: () => search.hits(text, from) }].flatMap(({ detector, start, end, score }) =>
            allowed.has(text.slice(start, end)) ? [] : [{ entity_type: detector.entity, start, end, score }],
          ),
        );
    },
    openFrom: (text, from) => exact.openFrom(text, from),
    plain: { before: exact.context, openFrom: (text, from) => exact.plainOpenFrom(text, from) },
  };
}
