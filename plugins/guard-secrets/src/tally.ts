import { allow, type Edit, type GuardResult } from '@svc/sdk';
import type { Options } from './options.ts';

/** The code of every result with findings. */
export const FOUND = 'secret-found';

/** The replacement of a secret. */
export function placeholder(entity: string): string {
  return `<${entity}>`;
}

/** Counts findings by kind. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #verdict: Options['verdict'];

  constructor(verdict: Options['verdict']) {
    this.#verdict = verdict;
  }

  add(entity: string): void {
    this.#counts.set(entity, (this.#counts.get(entity) ?? 0) + 1);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  result(edits: readonly Edit[]): GuardResult {
    if (this.isEmpty) return allow('no-match');
    const findings = [...this.#counts].map(([entity_type, count]) => ({ entity_type, count }));
    return { verdict: this.#verdict, code: FOUND, edits, findings };
  }
}
