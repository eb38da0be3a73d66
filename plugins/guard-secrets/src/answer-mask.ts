import type { GuardContext, GuardResult } from '@svc/sdk';
import { PLACEHOLDER, Placeholders } from '@svc/toolkit/masking';
import type { Options } from './options.ts';

/** The code of every result with findings. */
export const FOUND = 'secret-found';

/** The replacement of a secret without a number. */
export function placeholder(entity: string): string {
  return `<${entity}>`;
}

/** Masks secrets without numbers, counts them by kind, and restores the caller's values behind the placeholders of the run. */
export class AnswerMask {
  readonly #counts = new Map<string, number>();
  readonly #verdict: Options['verdict'];
  readonly #placeholders: Placeholders | null;
  #isRestored = false;

  /** @param placeholders those of the run. Null: nothing is restored */
  private constructor(verdict: Options['verdict'], placeholders: Placeholders | null) {
    this.#verdict = verdict;
    this.#placeholders = placeholders;
  }

  static of({ verdict, restore }: Pick<Options, 'verdict' | 'restore'>, { stage, state }: GuardContext): AnswerMask {
    return new AnswerMask(verdict, restore !== false && stage === 'egress' ? new Placeholders(state) : null);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** The text for a finding. Null if it stays. */
  replace(entity_type: string, value: string): string | null {
    if (entity_type === PLACEHOLDER) return this.#restored(value);
    this.#counts.set(entity_type, (this.#counts.get(entity_type) ?? 0) + 1);
    return placeholder(entity_type);
  }

  /** The result without its edits. */
  result(): Omit<GuardResult, 'edits'> {
    const findings = [...this.#counts].map(([entity_type, count]) => ({ entity_type, count }));
    if (findings.length > 0) return { verdict: this.#verdict, code: FOUND, findings };
    return { verdict: this.#isRestored ? 'sanitize' : 'allow', code: this.#isRestored ? 'placeholders' : 'no-match', findings };
  }

  #restored(text: string): string | null {
    const known = this.#placeholders?.earlier(text);
    if (known?.own !== true || known.value === text) return null;
    this.#isRestored = true;
    return known.value;
  }
}
