import type { Finding, GuardResult, Segment, Stage } from '@svc/sdk';
import { type Found, PLACEHOLDER, type Placeholders, visible } from '@svc/toolkit/masking';
import { isInstruction } from '@svc/toolkit/segments';
import { normalForm } from './normal-form.ts';
import type { Options } from './options.ts';

export interface MaskSettings {
  readonly verdict: Options['verdict'];
  readonly restore: boolean;
  /** Whether different spellings count as different values. If so, each spelling is restored exactly. */
  readonly exact: boolean;
  /** In lower case. */
  readonly allowed: ReadonlySet<string>;
}

/** Whether a text of a request is the caller's own. Every message is, except instructions. */
export function isOwn({ role }: Segment): boolean {
  return role !== null && !isInstruction(role);
}

/** Masks the findings of one stage of a run, and builds the stage's result. */
export class RunMask {
  readonly #settings: MaskSettings;
  readonly #placeholders: Placeholders;
  readonly #stage: Stage;
  readonly #counts = new Map<string, number>();
  #found = 0;
  #edited = false;

  constructor(settings: MaskSettings, placeholders: Placeholders, stage: Stage) {
    this.#settings = settings;
    this.#placeholders = placeholders;
    this.#stage = stage;
  }

  /** Number of findings to mask so far. */
  get foundSoFar(): number {
    return this.#found;
  }

  /** The replacement of a finding. Null if the finding stays. */
  replace(found: Pick<Found, 'entity_type'>, value: string, own: boolean): string | null {
    const replacement = found.entity_type === PLACEHOLDER ? this.#ofPlaceholder(value, own) : this.#ofValue(found, value, own);
    if (replacement === null || replacement === value) return null;
    this.#edited = true;
    return replacement;
  }

  /** Whether a finding's number depends on the text before it, because a new value gets the next number. */
  waits({ entity_type }: Found, value: string): boolean {
    if (this.#settings.verdict === 'block') return false;
    if (entity_type === PLACEHOLDER) return this.#placeholders.earlier(value) === null;
    if (this.#isAllowed(value)) return false;
    return this.#placeholders.known(entity_type, this.#keyOf(entity_type, value)) === null;
  }

  /** The result without its edits. `more`: whether other parts of the same answer have findings. */
  result(more = false): Omit<GuardResult, 'edits'> {
    const findings: Finding[] = [...this.#counts].map(([entity_type, count]) => ({ entity_type, count }));
    if (findings.length > 0) return { verdict: this.#settings.verdict, code: 'pii', findings };
    if (!this.#edited) return { verdict: 'allow', code: 'no-pii', findings };
    return { verdict: 'sanitize', code: more ? 'pii' : 'placeholders', findings };
  }

  #ofPlaceholder(text: string, own: boolean): string {
    const known = this.#placeholders.earlier(text);
    if (known === null) return this.#placeholders.issueLiteral(text, own);
    return this.#restores && known.own ? known.value : text;
  }

  #ofValue({ entity_type }: Pick<Found, 'entity_type'>, value: string, own: boolean): string | null {
    if (this.#isAllowed(value)) return null;
    const key = this.#keyOf(entity_type, value);
    if (this.#restores && this.#placeholders.known(entity_type, key)?.own === true) return null;
    this.#found += 1;
    this.#counts.set(entity_type, (this.#counts.get(entity_type) ?? 0) + 1);
    return this.#placeholders.issue(entity_type, key, value, own);
  }

  #keyOf(entity_type: string, value: string): string {
    return this.#settings.exact ? value : normalForm(entity_type, value);
  }

  #isAllowed(value: string): boolean {
    return this.#settings.allowed.has(visible(value).toLowerCase());
  }

  get #restores(): boolean {
    return this.#settings.restore && this.#stage === 'egress';
  }
}
