import { LatencyQuantiles } from '../http/latency-quantiles.ts';
import type { TriedPack } from './tried-packs.ts';
import type { Result } from './try-example.ts';

/** Scores are counted in steps of 0.05. A score of 1 is in the last one. */
export const BINS = 20;

/** What was found of one type. */
interface Entity {
  /** Examples with it. */
  examples: number;
  findings: number;
}

/** The sums of one pack. Its size does not grow with the number of examples. */
export class PackTally {
  readonly pack: TriedPack;
  examples = 0;
  found = 0;
  failed = 0;
  readonly verdicts = new Map<string, number>();
  readonly entities = new Map<string, Entity>();
  /** Findings by score. */
  readonly scores: number[] = new Array(BINS).fill(0);
  /** In microseconds. */
  readonly #times = new LatencyQuantiles();
  #longest = 0;

  constructor(pack: TriedPack) {
    this.pack = pack;
  }

  add({ verdict, ms, findings, places }: Result): void {
    this.examples += 1;
    this.#times.add(ms * 1000);
    this.#longest = Math.max(this.#longest, ms);
    if (verdict === null) {
      this.failed += 1;
      return;
    }
    this.verdicts.set(verdict, (this.verdicts.get(verdict) ?? 0) + 1);
    if (findings.length > 0) this.found += 1;
    for (const type of new Set(findings.map(({ entity_type }) => entity_type))) {
      const sums = this.entities.get(type) ?? { examples: 0, findings: 0 };
      const own = findings.filter(({ entity_type }) => entity_type === type);
      sums.examples += 1;
      sums.findings += own.reduce((sum, { count }) => sum + count, 0);
      this.entities.set(type, sums);
    }
    for (const { score } of places) {
      const bin = Math.min(BINS - 1, Math.floor(score * BINS));
      this.scores[bin] = (this.scores[bin] ?? 0) + 1;
    }
  }

  get findings(): number {
    return [...this.entities.values()].reduce((sum, { findings }) => sum + findings, 0);
  }

  /** Milliseconds of a check, to 5 %. */
  get times(): { readonly median: number; readonly p95: number; readonly longest: number } {
    const quantile = (part: number): number => Math.min((this.#times.get(part) ?? 0) / 1000, this.#longest);
    return { median: quantile(0.5), p95: quantile(0.95), longest: this.#longest };
  }
}

/** The sums of all examples. */
export class Tally {
  readonly packs: readonly PackTally[];
  examples = 0;
  /** Examples in which any pack found something. */
  found = 0;
  unreadable = 0;

  constructor(packs: readonly TriedPack[]) {
    this.packs = packs.map((pack) => new PackTally(pack));
  }

  add(results: readonly (Result | null)[]): void {
    this.examples += 1;
    if (results.some((result) => result !== null && result.findings.length > 0)) this.found += 1;
    for (const [n, result] of results.entries()) if (result !== null) this.packs[n]?.add(result);
  }

  get failed(): number {
    return this.packs.reduce((sum, { failed }) => sum + failed, 0);
  }
}
