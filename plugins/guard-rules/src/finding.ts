import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import { type Counts, findIn, type What } from './find-in.ts';
import type { Rule } from './options.ts';

/** What a thread needs to know. */
export interface FindSettings {
  readonly rules: readonly Rule[];
  readonly what: What;
}

/** Code units, and steps of RE2 (code units times what the rules cost), that are searched on the loop: some milliseconds at most. */
const MAX_INLINE = 16_384;
const MAX_STEPS = 1_000_000;

/** How this guard finds: with `compiled` on the loop, with the same rules in a thread. */
export function findingOf(rules: readonly Rule[], compiled: readonly CompiledRule[], what: What): Finding<Counts> {
  const cost = compiled.reduce((sum, { matcher }) => sum + matcher.cost, 0);
  const names = new Set(rules.map(({ name }) => name));
  const settings: FindSettings = { rules, what };
  return {
    find: findIn(compiled, what),
    moduleUrl: import.meta.resolve('#find'),
    settings,
    isSmall: (segments) => weighsAtMost(Math.min(MAX_INLINE, MAX_STEPS / cost), segments),
    isName: (name) => names.has(name),
    isSummary: (value): value is Counts =>
      Array.isArray(value) && value.length === rules.length && value.every((count) => Number.isSafeInteger(count) && count >= 0),
  };
}
