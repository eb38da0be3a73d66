import type { Finding } from '@svc/contracts';
import type { TriedPack } from './tried-packs.ts';
import type { Place, Result } from './try-example.ts';

/** Findings of one type in an example, by the packs that agree on them: a pack with one or several thresholds. */
export interface FoundByPacks {
  readonly packs: readonly [TriedPack, ...TriedPack[]];
  /** Null: the guard failed. */
  readonly verdict: Result['verdict'];
  /** That of the verdict, or why the guard failed. */
  readonly code: string;
  /** Null if the guard failed. */
  readonly finding: Finding | null;
  readonly places: readonly Place[];
  /** The highest score. Null: the guard does not say. */
  readonly score: number | null;
}

/** What packs found in an example. Thresholds of a pack with the same findings are together. */
export function mergeResults(results: readonly (Result | null)[]): FoundByPacks[] {
  const merged = new Map<string, FoundByPacks>();
  for (const { pack, verdict, code, findings, places } of results.filter((result) => result !== null)) {
    for (const finding of verdict === null ? [null] : findings) {
      const own = places.filter(({ entity_type }) => entity_type === finding?.entity_type);
      const ranges = own.map(({ path, start, end, score }) => [path, start, end, score]);
      const key = JSON.stringify([pack.name, verdict, code, finding?.entity_type, finding?.count, ranges]);
      const packs = merged.get(key)?.packs ?? [];
      const score = own.reduce<number | null>((most, place) => Math.max(most ?? 0, place.score), finding?.score ?? null);
      merged.set(key, { packs: [...packs, pack] as [TriedPack, ...TriedPack[]], verdict, code, finding, places: own, score });
    }
  }
  return [...merged.values()];
}

/** `pii`, or `pii 0.3 0.5` if thresholds of it are compared. */
export function titleOf({ packs }: FoundByPacks, results: readonly (Result | null)[]): string {
  const [{ name }] = packs;
  const isCompared = results.filter((result) => result?.pack.name === name).length > 1;
  return [name, ...(isCompared ? packs.flatMap(({ threshold }) => threshold ?? []) : [])].join(' ');
}
