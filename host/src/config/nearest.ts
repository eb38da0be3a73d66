import { closest, distance } from 'fastest-levenshtein';

const MAX_CHARACTERS = 100;

/** The known name that was probably meant. Its edit distance is at most half of the name's letters, and at most three. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  // Comparing takes time in proportion to the length, and no known name is so long.
  if (name.length > MAX_CHARACTERS) return undefined;
  const names = [...known];
  const best = closest(name, names);
  const wrong = names.length === 0 ? Number.POSITIVE_INFINITY : distance(name.toLowerCase(), best.toLowerCase());
  return wrong <= Math.min(3, Math.max(1, Math.floor(name.length / 2))) && wrong < name.length ? best : undefined;
}
