import { expect, it } from 'vitest';
import type { PendingRun, StoredRun } from '../shared/api-types.ts';
import { contentText, factsText, matches, termsOf } from './search.ts';

const PAUSED = {
  event_type: 'paused',
  stage: 'ingress',
  node: 'Policy',
  data: { code: 'wire', digest: '', route_digest: '' },
} as const;
const RUN: StoredRun = {
  run_id: '0190-AB',
  route: 'payments',
  principal_id: 'alice',
  status: 'paused',
  approvers: ['group/finance'],
  events: [PAUSED],
  config_digest: 'sha256:0',
  session: 'S-42',
  created_at: '2026-11-21T10:00:00.000Z',
};
const pending = (content: string): PendingRun =>
  ({
    messages: [
      { role: 'user', content: 'Earlier' },
      { role: 'user', content: [{ type: 'text', text: content }] },
    ],
    parameters: { tools: [{ function: { name: 'Transfer' } }] },
    answer: null,
    decisions: [{ reason: 'Checked TWICE' }],
  }) as unknown as PendingRun;

it.each(['0190-ab', 'alice', 'PAYMENTS', 's-42', 'wire', 'policy', 'finance', 'alice wire', '  '])(
  'finds a run by %j',
  (query) => {
    expect(matches(termsOf(query), [factsText(RUN, null)])).toBe(true);
  },
);

it('finds a run only if each term is in one of its texts', () => {
  const texts = [factsText(RUN, null), contentText(pending('To the Moon'))];
  expect(matches(termsOf('alice moon transfer twice earlier'), texts)).toBe(true);
  expect(matches(termsOf('alice mars'), texts)).toBe(false);
});

it('keeps a limited part of the content, including the latest message', () => {
  const text = contentText(pending(`the latest ${'x'.repeat(1_000_000)}`));
  expect(text.length).toBeLessThan(101_000);
  expect(text).toContain('the latest');
});
