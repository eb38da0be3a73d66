import type { Edit, Finding, GuardResult, Segment, Stage } from '@svc/contracts';
import { isInstruction } from '../segments/segment-kinds.ts';
import type { Steps } from '../work/index.ts';
import type { Place } from '../work/places.ts';
import type { Found } from './found.ts';
import { placeEdits } from './place-edits.ts';
import { PLACEHOLDER, type Placeholders } from './placeholders.ts';

/** Which values of a request are restored in its answer: none, those of the caller's messages, or all. */
export type Restore = boolean | 'all';

/** How a guard masks its findings. */
export interface MaskSettings {
  /** The verdict on a finding. */
  readonly verdict: GuardResult['verdict'];
  readonly restore: Restore;
  /** The codes of a result with findings and of one without. */
  readonly codes: { readonly found: string; readonly clean: string };
  /** The normal form of a value. Values with the same normal form get the same placeholder. */
  keyOf(entity_type: string, value: string): string;
  /** Whether a finding is left as it is, although it is not the caller's own value. */
  isLeft(found: Pick<Found, 'entity_type'>, value: string): boolean;
}

/** Whether a text of a request is the caller's own. Every message is, except instructions. */
export function isOwn({ role }: Pick<Segment, 'role'>): boolean {
  return role !== null && !isInstruction(role);
}

/** Masks the findings of one stage of a run, restores values in its answer, and builds the stage's result. */
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

  /** The replacement of a finding. Null if the finding stays. `own`: whether its value may be restored. */
  replace(found: Pick<Found, 'entity_type'>, value: string, own: boolean): string | null {
    const replacement = found.entity_type === PLACEHOLDER ? this.#ofPlaceholder(value, own) : this.#ofValue(found, value, own);
    if (replacement === null || replacement === value) return null;
    this.#edited = true;
    return replacement;
  }

  /** The edits for these places. */
  edits(places: Iterable<Place>, segments: readonly Segment[]): Steps<Edit[]> {
    return placeEdits(places, segments, (found, value, texts) => this.replace(found, value, this.#mayRestore(texts)));
  }

  /** Whether a finding's number depends on the text before it, because a new value gets the next number. */
  waits(found: Found, value: string): boolean {
    if (this.#settings.verdict === 'block') return false;
    if (found.entity_type === PLACEHOLDER) return this.#placeholders.earlier(value) === null;
    if (this.#settings.isLeft(found, value)) return false;
    return this.#placeholders.known(found.entity_type, this.#settings.keyOf(found.entity_type, value)) === null;
  }

  /** The result without its edits. `more`: whether other parts of the same answer have findings. */
  result(more = false): Omit<GuardResult, 'edits'> {
    const { codes, verdict } = this.#settings;
    const findings: Finding[] = [...this.#counts].map(([entity_type, count]) => ({ entity_type, count }));
    if (findings.length > 0) return { verdict, code: codes.found, findings };
    if (!this.#edited) return { verdict: 'allow', code: codes.clean, findings };
    return { verdict: 'sanitize', code: more ? codes.found : 'placeholders', findings };
  }

  #mayRestore(texts: readonly Segment[]): boolean {
    return this.#stage === 'ingress' && (this.#settings.restore === 'all' || texts.every(isOwn));
  }

  #ofPlaceholder(text: string, own: boolean): string {
    const known = this.#placeholders.earlier(text);
    if (known === null) return this.#placeholders.issueLiteral(text, own);
    return this.#restores && known.own ? known.value : text;
  }

  #ofValue(found: Pick<Found, 'entity_type'>, value: string, own: boolean): string | null {
    if (this.#settings.isLeft(found, value)) return null;
    const { entity_type } = found;
    const key = this.#settings.keyOf(entity_type, value);
    if (this.#restores && this.#placeholders.known(entity_type, key)?.own === true) return null;
    this.#found += 1;
    this.#counts.set(entity_type, (this.#counts.get(entity_type) ?? 0) + 1);
    return this.#placeholders.issue(entity_type, key, value, own);
  }

  get #restores(): boolean {
    return this.#settings.restore !== false && this.#stage === 'egress';
  }
}
