import { lengthMatcher, type Matcher, PatternError, patternMatcher, wordsMatcher } from '@svc/toolkit/matching';
import type { Rule } from './options.ts';

/** A compiled rule. `replacement` is null unless the rule sanitizes. */
export interface CompiledRule {
  readonly name: string;
  readonly verdict: Rule['verdict'];
  readonly matcher: Matcher;
  /** Whether the rule limits the length of a single text. If so, consecutive messages do not count together. */
  readonly of_one_text: boolean;
  readonly replacement: string | null;
}

/** @throws {Error} with the key, the rule and the remedy */
export function compileRules(rules: readonly Rule[]): CompiledRule[] {
  return rules.map((rule, index) => {
    const key = `rules[${index}]`;
    const namesake = rules.findIndex(({ name }) => name === rule.name);
    if (namesake < index) refuse(`${key}.name`, rule, `rules[${namesake}] has the same name; give each rule its own`);
    return {
      name: rule.name,
      verdict: rule.verdict,
      matcher: matcherOf(rule, key),
      of_one_text: rule.max_characters !== undefined,
      replacement: replacementOf(rule, key),
    };
  });
}

function matcherOf(rule: Rule, key: string): Matcher {
  const { match, words, max_characters } = rule;
  const given = [match, words, max_characters].filter((value) => value !== undefined).length;
  if (given !== 1) refuse(key, rule, 'set exactly one of match, words and max_characters');
  if (match !== undefined) return matchOf(match, rule, `${key}.match`);
  if (rule.max_match !== undefined) refuse(`${key}.max_match`, rule, 'only a rule with match can have this; remove it');
  if (words !== undefined) return wordsOf(words, rule, `${key}.words`);
  return lengthMatcher(max_characters ?? 0);
}

function matchOf(pattern: string, rule: Rule, key: string): Matcher {
  try {
    return patternMatcher(pattern, rule.max_match);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return refuse(key, rule, error.message, error);
  }
}

function wordsOf(words: readonly string[], rule: Rule, key: string): Matcher {
  const blank = words.findIndex((word) => word.trim() === '');
  if (blank >= 0) refuse(`${key}[${blank}]`, rule, 'it is blank; remove it');
  return wordsMatcher(words);
}

function replacementOf(rule: Rule, key: string): string | null {
  const { name, verdict, replacement } = rule;
  if (verdict !== 'sanitize') {
    if (replacement !== undefined)
      refuse(`${key}.replacement`, rule, `the verdict ${verdict} does not replace text; use sanitize, or remove the replacement`);
    return null;
  }
  if (replacement?.isWellFormed() === false)
    refuse(`${key}.replacement`, rule, 'it contains half of a surrogate pair; write the whole character');
  return replacement ?? `<${name.toUpperCase()}>`;
}

function refuse(key: string, { name }: Rule, reason: string, cause?: unknown): never {
  throw new Error(`${key} (rule '${name}'): ${reason}`, { cause });
}
