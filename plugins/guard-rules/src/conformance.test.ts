import { fakePluginDeps, guardConformance } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import rules from './index.ts';
import type { Options } from './options.ts';

const sets: Record<string, { options: Options; streams: 'window' | 'post' | undefined; samples: string[]; clean: string[] }> = {
  'patterns that mask': {
    options: {
      rules: [
        { name: 'acct', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize' },
        { name: 'mail', match: '(?i)[a-z.]{1,64}@[a-z.]{1,255}\\.[a-z]{2,63}', verdict: 'sanitize', replacement: '' },
        { name: 'face', match: '\\p{So}+', max_match: 8, verdict: 'sanitize' },
      ],
    },
    streams: 'window',
    samples: ['my account is 1234-5678 😀', 'write to a.b@example.org please', '😀 at the beginning'],
    clean: ['12345-678 and a@b', 'hello'],
  },
  'patterns that mask too late': {
    options: {
      stream: 'post',
      rules: [
        { name: 'mail', match: '(?i)[a-z.]+@[a-z.]+\\.[a-z]{2,}', verdict: 'sanitize' },
        { name: 'acct', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'block' },
      ],
    },
    streams: 'post',
    samples: ['my account is 1234-5678 😀', 'write to a.b@example.org please'],
    clean: ['12345-678 and a@b', 'hello'],
  },
  'words that pause or block': {
    options: {
      rules: [
        { name: 'wire', words: ['wire transfer', 'wire transfer abroad', 'SWIFT'], verdict: 'require_approval' },
        { name: 'plans', words: ['project phoenix', '机密', 'C++'], verdict: 'block' },
      ],
    },
    streams: undefined,
    samples: ['please make a Wire\nTransfer abroad', '这是机密文件', 'rewrite it in C++17 today'],
    clean: ['wires transferred swiftly', 'project phoenixes'],
  },
  'words that mask or block': {
    options: {
      stream: 'window',
      rules: [
        { name: 'wire', words: ['wire transfer', 'wire transfer abroad', 'SWIFT'], verdict: 'sanitize' },
        { name: 'plans', words: ['project phoenix', '机密', 'C++'], verdict: 'block' },
      ],
    },
    streams: 'window',
    samples: ['please make a Wire\nTransfer abroad', '这是机密文件', 'rewrite it in C++17 today'],
    clean: ['wires transferred swiftly', 'project phoenixes'],
  },
  'bounds on length': {
    options: {
      rules: [
        { name: 'cut', max_characters: 20, verdict: 'sanitize', replacement: ' (cut)' },
        { name: 'much', max_characters: 40, verdict: 'block' },
      ],
    },
    streams: 'window',
    samples: ['twenty characters and a few 😀😀😀', '😀'.repeat(41)],
    clean: ['twenty characters 😀😀', '😀'.repeat(20)],
  },
  'rules of every kind that overlap': {
    options: {
      stream: 'window',
      rules: [
        { name: 'number', match: '[0-9]{1,5}', verdict: 'sanitize' },
        { name: 'phrase', words: ['order 66', 'execute order'], verdict: 'sanitize' },
        { name: 'near', match: '(?i)e(?:x+y)*xecute(?:[a-z ]{0,40}now)?', max_match: 60, verdict: 'sanitize', replacement: '…' },
        { name: 'long', max_characters: 30, verdict: 'sanitize' },
      ],
    },
    streams: 'window',
    samples: ['execute order 66 now', 'please do execute order 66 at once, and then rest'],
    clean: ['orders are orders'],
  },
};

describe.each(Object.entries(sets))('guard conformance of %s', (_, { options, streams, samples, clean }) => {
  test('streams in the intended way', () => {
    expect(rules.create(options, fakePluginDeps()).stream?.capability).toBe(streams);
  });

  for (const { name, run } of guardConformance({ guard: (deps) => rules.create(options, deps), samples, clean })) {
    test(name, run);
  }
});
