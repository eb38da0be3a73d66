import { describe, expect, test } from 'vitest';
import { compileRules } from './compile.ts';
import type { Rule } from './options.ts';

const good: Rule = { name: 'good', match: 'x', verdict: 'block' };
const compiled = (rule: Rule) => () => compileRules([good, rule]);

describe('compiling rules refuses, by key and rule,', () => {
  test.each<[string, Rule, string]>([
    ['a pattern that RE2 does not take', { name: 'r', match: 'a(?!b)', verdict: 'block' }, "rules[1].match (rule 'r'): "],
    ['a pattern that matches nothing', { name: 'r', match: 'a*', verdict: 'block' }, "rules[1].match (rule 'r'): "],
    ['a blank word', { name: 'r', words: ['a', ' \n'], verdict: 'block' }, "rules[1].words[1] (rule 'r'): "],
    ['a name that is taken', { name: 'good', match: 'y', verdict: 'block' }, "rules[1].name (rule 'good'): rules[0] "],
    ['a rule that looks for nothing', { name: 'r', verdict: 'block' }, "rules[1] (rule 'r'): "],
    ['two things to look for', { name: 'r', match: 'x', max_characters: 3, verdict: 'block' }, "rules[1] (rule 'r'): "],
    ['max_match without match', { name: 'r', words: ['x'], max_match: 3, verdict: 'block' }, "rules[1].max_match (rule 'r'): "],
    ['a replacement without sanitize', { ...good, name: 'r', replacement: '' }, "rules[1].replacement (rule 'r'): "],
    [
      'half a character as replacement',
      { name: 'r', match: 'x', verdict: 'sanitize', replacement: '\ud83d' },
      "rules[1].replacement (rule 'r'): ",
    ],
  ])('%s', (_, rule, prefix) => {
    expect(compiled(rule)).toThrow(prefix);
  });
});

test('by default, a sanitizing rule replaces a match by its name in capitals', () => {
  const rules = compileRules([
    { name: 'acct-no.1', match: 'x', verdict: 'sanitize' },
    { name: 'gone', match: 'x', verdict: 'sanitize', replacement: '' },
    good,
  ]);
  expect(rules.map(({ replacement }) => replacement)).toEqual(['<ACCT-NO.1>', '', null]);
});
