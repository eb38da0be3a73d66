import type { Found } from '../text/found.ts';
import { isCandidate } from './candidates.ts';
import { isCode } from './is-code.ts';
import { model } from './model.ts';
import { firstLinked, type Run, runsOf } from './runs.ts';
import { LOCATION, PERSON, type Tags, tagsOf } from './tags.ts';
import { SINGLE_CAPITAL, type Token, tokensOf } from './tokens.ts';

/**
 * The names of these entities that begin at `from` or later, in order. A result depends on at most 160 characters to the left of it. It no longer
 * changes when `nameOpenFrom` is past it.
 */
export function findNames(text: string, entities: ReadonlySet<string>, from = 0): readonly Found[] {
  if (!entities.has('PERSON') && !entities.has('LOCATION')) return [];
  const tokens = tokensOf(text);
  const candidate = firstCandidate(tokens, from);
  if (candidate === undefined) return [];
  const tags = tagsOf(text, tokens, model(), firstLinked(tokens, candidate));
  const found: Found[] = [];
  for (const run of runsOf(tokens, tags)) {
    const entity = entityOf(run.kind);
    if (entity === undefined || !entities.has(entity) || isInitials(run, tokens)) continue;
    if (entity !== 'PERSON' || !isCode(text, run, tokens, model().lists)) found.push(foundOf(entity, run, tokens, tags));
  }
  return found.filter(({ start }) => start >= from);
}

/** The first candidate that starts at or after `from`. Most texts have none, because most words are not names. */
function firstCandidate(tokens: readonly Token[], from: number): number | undefined {
  const { lists } = model();
  let first: number | undefined;
  for (let at = tokens.length - 1; at >= 0 && (tokens[at]?.start ?? 0) >= from; at--)
    if (isCandidate(tokens, at, lists)) first = at;
  return first;
}

function entityOf(kind: number): string | undefined {
  if (kind === PERSON) return 'PERSON';
  return kind === LOCATION ? 'LOCATION' : undefined;
}

/** Single letters may be list items, shelves or vitamins. */
function isInitials({ first, last }: Run, tokens: readonly Token[]): boolean {
  for (let at = first; at <= last; at++) if (tokens[at]?.shape !== SINGLE_CAPITAL) return false;
  return true;
}

function foundOf(entity_type: string, { first, last }: Run, tokens: readonly Token[], tags: Tags): Found {
  let score = 0;
  for (let at = first; at <= last; at++) score = Math.max(score, tags.scores[at] ?? 0);
  return { entity_type, start: tokens[first]?.start ?? 0, end: tokens[last]?.end ?? 0, score };
}
