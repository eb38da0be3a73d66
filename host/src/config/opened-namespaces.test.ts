import type { GuardDeps } from '@svc/contracts';
import { expect, it } from 'vitest';
import { OpenedNamespaces } from './opened-namespaces.ts';

const documents = { retrieve: async () => [] };
const deps = { name: 'docs', openNamespace: () => documents } as unknown as GuardDeps;

it('knows the namespaces of the most recently created guard', () => {
  const opened = new OpenedNamespaces();
  opened.watching('docs', deps).openNamespace('of an attempt that failed');
  const { openNamespace } = opened.watching('docs', deps);
  expect(openNamespace('a')).toBe(documents);
  openNamespace('b');
  openNamespace('a');
  expect(opened.take('docs')).toEqual(['a', 'b']);
  expect(opened.take('another')).toEqual([]);
});

it('refuses a namespace that a guard opens after create()', () => {
  const opened = new OpenedNamespaces();
  const { openNamespace: ofFailed } = opened.watching('docs', deps);
  const { openNamespace } = opened.watching('docs', deps);
  opened.take('docs');
  for (const late of [openNamespace, ofFailed]) expect(() => late('a')).toThrow('in create(), not later');
});
