import { CHAT } from '@svc/protocols';
import { expect, it } from 'vitest';
import { rootPattern } from './field-pattern.ts';

it('keeps the paths of ordinary requests, and starts again after too many', () => {
  const kept = rootPattern(CHAT.request).member('messages').items.member('content');
  expect(rootPattern(CHAT.request).member('messages').items.member('content')).toBe(kept);
  let deep = rootPattern(CHAT.request);
  for (let level = 0; level < 5_000; level += 1) deep = deep.member('a key of somebody');
  const anew = rootPattern(CHAT.request).member('messages').items.member('content');
  expect(anew).not.toBe(kept);
  expect([anew.facts, anew.text]).toEqual([kept.facts, kept.text]);
});
