import { guardConformance } from '@svc/sdk/testing';
import { describe, test } from 'vitest';
import rules from './index.ts';
import type { Rule } from './options.ts';

const sets: Record<string, { rules: Rule[]; samples: string[]; clean: string[] }> = {
  'patterns that mask': {
    rules: [
      { name: 'acct', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize' },
      { name: 'mail', match: '(?i)[a-z.]+@[a-z.]+\\.[a-z]{2,}', verdict: 'sanitize', replacement: '' },
      { name: 'face', match: '\\p{So}+', verdict: 'sanitize' },
    ],
    samples: ['my account is 1234-5678 😀', 'write to a.b@example.org please', '😀 at the beginning'],
    clean: ['12345-678 and a@b', 'hello'],
  },
  'words that pause or block': {
    rules: [
      { name: 'wire', words: ['wire transfer', 'wire transfer abroad', 'SWIFT'], verdict: 'require_approval' },
      { name: 'plans', words: ['project phoenix', '机密', 'C++'], verdict: 'block' },
    ],
    samples: ['please make a Wire\nTransfer abroad', '这是机密文件', 'rewrite it in C++17 today'],
    clean: ['wires transferred swiftly', 'project phoenixes'],
  },
  'bounds on length': {
    rules: [
      { name: 'cut', max_characters: 20, verdict: 'sanitize', replacement: ' (cut)' },
      { name: 'much', max_characters: 40, verdict: 'block' },
    ],
    samples: ['twenty characters and a few 😀😀😀', '😀'.repeat(41)],
    clean: ['twenty characters 😀😀', '😀'.repeat(20)],
  },
  'rules of every kind that overlap': {
    rules: [
      { name: 'number', match: '[0-9]+', verdict: 'sanitize' },
      { name: 'phrase', words: ['order 66', 'execute order'], verdict: 'sanitize' },
      { name: 'near', match: '(?i)e(?:x+y)*xecute(?:[a-z ]{0,40}now)?', verdict: 'require_approval' },
      { name: 'long', max_characters: 30, verdict: 'sanitize' },
    ],
    samples: ['execute order 66 now', 'please do execute order 66 at once, and then rest'],
    clean: ['orders are orders'],
  },
};

describe.each(Object.entries(sets))('guard conformance of %s', (_, { rules: list, samples, clean }) => {
  for (const { name, run } of guardConformance({ guard: (deps) => rules.create({ rules: list }, deps), samples, clean })) {
    test(name, run);
  }
});
