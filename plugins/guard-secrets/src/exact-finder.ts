import { type Finder, type Found, placeholderFinder } from '@svc/toolkit/masking';
import type { Chosen } from './chosen.ts';

/** A finder for the secrets of bounded length and, if values may be restored, for placeholders. */
export function exactFinder({ exact, allowed, findsPlaceholders }: Omit<Chosen, 'endless'>): Finder {
  const secretsIn = (text: string, from: number): readonly Found[] =>
    exact
      .likely(text, from)
      .flatMap((search) =>
        [...search.hits(text, from)].flatMap(({ detector, start, end, score }) =>
          allowed.has(text.slice(start, end)) ? [] : [{ entity_type: detector.entity, start, end, score }],
        ),
      );
  const secrets: Finder = {
    context: exact.context,
    reach: exact.reach,
    find: secretsIn,
    openFrom: (text, from) => exact.openFrom(text, from),
    plain: { before: exact.context, openFrom: (text, from) => exact.plainOpenFrom(text, from) },
  };
  if (!findsPlaceholders) return secrets;
  return {
    context: exact.context,
    reach: Math.max(exact.reach, placeholderFinder.reach),
    find: (text, from) => [...secretsIn(text, from), ...placeholderFinder.find(text, from)],
    openFrom: (text, from) => Math.min(exact.openFrom(text, from), placeholderFinder.openFrom(text, from)),
    plain: {
      before: exact.context,
      openFrom: (text, from) => (text.includes('<', from) ? null : exact.plainOpenFrom(text, from)),
    },
  };
}
