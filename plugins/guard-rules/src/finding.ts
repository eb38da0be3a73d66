import { isObject, type Segment } from '@svc/sdk';
import { jointsOf } from '@svc/toolkit/masking';
import { anyOf } from '@svc/toolkit/matching';
import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import { type Counts, findIn, type What } from './find-in.ts';
import type { Rule } from './options.ts';

/** The settings of a worker thread. */
export interface FindSettings {
  readonly rules: readonly Rule[];
  readonly what: What;
}

/** Maximum number of code units, and of RE2 steps (code units times the cost of the rules), on the event loop: a few milliseconds. */
const MAX_INLINE = 16_384;
const MAX_STEPS = 1_000_000;

export interface RuleFinding extends Finding<Counts> {
  /** Whether a quick test shows that no rule matches. */
  isClean(segments: readonly Segment[]): boolean;
}

/** Uses `compiled` on the event loop. In a thread, uses the same rules. */
export function findingOf(rules: readonly Rule[], compiled: readonly CompiledRule[], what: What): RuleFinding {
  const mayHold = anyOf(compiled.map(({ matcher }) => matcher));
  const cost = compiled.reduce((sum, { matcher }) => sum + matcher.cost, 0);
  const names = new Set(rules.map(({ name }) => name));
  const settings: FindSettings = { rules, what };
  const most = Math.min(MAX_INLINE, MAX_STEPS / cost);
  return {
    find: findIn(compiled, what, mayHold),
    moduleUrl: import.meta.resolve('#find'),
    settings,
    isSmall: (segments) => weighsAtMost(most, segments),
    isClean: (segments) =>
      weighsAtMost(most, segments) &&
      !segments.some(({ text }) => mayHold(text)) &&
      !jointsOf(segments).some(({ texts }) => texts.some(mayHold)),
    isName: (name) => names.has(name),
    isSummary: (value): value is Counts => isObject(value) && areCounts(value.streamed, rules) && areCounts(value.held, rules),
  };
}

function areCounts(value: unknown, rules: readonly Rule[]): boolean {
  return (
    Array.isArray(value) && value.length === rules.length && value.every((count) => Number.isSafeInteger(count) && count >= 0)
  );
}
