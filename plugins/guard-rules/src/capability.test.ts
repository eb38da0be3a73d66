import { fakePluginDeps } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import rules from './index.ts';
import type { Options, Rule } from './options.ts';

const bounded: Rule = { name: 'bounded', match: '\\d{4}', verdict: 'sanitize' };
const endless: Rule = { name: 'endless', match: '\\d+', verdict: 'block' };
const words: Rule = { name: 'words', words: ['a b'], verdict: 'block' };
const length: Rule = { name: 'length', max_characters: 9, verdict: 'sanitize' };
const pausing: Rule = { name: 'pausing', words: ['x'], verdict: 'require_approval' };
const limited: Rule = { ...endless, max_match: 20 };

const created = (stream: Options['stream'], list: Rule[]) =>
  rules.create(stream === undefined ? { rules: list } : { rules: list, stream }, fakePluginDeps());

describe('a stream', () => {
  test.each<[Options['stream'], Rule[], 'window' | 'post' | undefined]>([
    [undefined, [bounded, words, length, limited], 'window'],
    [undefined, [bounded, endless], undefined],
    [undefined, [bounded, pausing], undefined],
    ['window', [bounded, words, length, limited], 'window'],
    ['post', [bounded, endless], 'post'],
    ['buffer', [bounded, endless, pausing], undefined],
    ['buffer', [bounded], undefined],
  ])('requested as %s, with %j, is %s', (stream, list, capability) => {
    const guard = created(stream, list);
    expect([guard.stream?.capability, typeof guard.stream?.open]).toEqual([
      capability,
      capability === undefined ? 'undefined' : 'function',
    ]);
  });

  test.each<['window' | 'post', Rule[], string]>([
    ['window', [bounded, endless], "stream: window cannot be combined with rules[1].match (rule 'endless'), because "],
    ['window', [pausing], "stream: window cannot be combined with rules[0].verdict require_approval (rule 'pausing'), because "],
    [
      'post',
      [endless, pausing],
      "stream: post cannot be combined with rules[1].verdict require_approval (rule 'pausing'), because ",
    ],
  ])('cannot be %s of %j', (stream, list, prefix) => {
    expect(() => created(stream, list)).toThrow(prefix);
  });
});
