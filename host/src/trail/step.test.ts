import { EVENT_TYPES } from '@svc/contracts';
import { expect, it } from 'vitest';
import { eventLine, stepOf, type TrailEvent } from './step.ts';

/** Also as an earlier release may have written it. */
const event = (event_type: string, data: object, node = 'words'): TrailEvent => ({
  event_type,
  stage: 'ingress',
  node,
  data: { ...data },
});
const scanned = { segments: 1, characters: 41, skipped: [] };
const verdict = (data: object) => event('verdict', { scanned, findings: [], duration_ms: 2, ...data });

it.each([
  ['allow', 'good'],
  ['sanitize', 'changed'],
  ['require_approval', 'waits'],
  ['block', 'bad'],
])('a verdict %s has the tone %s', (word, tone) => {
  expect(stepOf(verdict({ verdict: word, code: 'account' })).label?.tone).toBe(tone);
});

it('shows code, findings and failure of a verdict', () => {
  const findings = [{ entity_type: 'account', count: 2 }];
  const { details } = stepOf(verdict({ verdict: 'sanitize', code: 'account', findings }));
  expect(details).toEqual(expect.arrayContaining(['code account', 'found account × 2', 'checked 1 text, 41 characters', '2 ms']));
  const failed = stepOf(verdict({ verdict: 'block', code: 'SVC-NODE-001', failure: 'timeout' }));
  expect(failed.details.join()).toContain('timeout');
});

it('shows what a guard could not check', () => {
  const skipped = [{ path: 'messages.0.content.1', why: 'image' }];
  const { details } = stepOf(verdict({ verdict: 'allow', code: 'none', scanned: { segments: 0, characters: 0, skipped } }));
  expect(details).toEqual(expect.arrayContaining(['checked 0 texts, 0 characters', 'could not check 1 part']));
});

it('does not show an observed verdict like an enforced one', () => {
  const observed = stepOf(event('observed', { verdict: 'block', code: 'c', scanned, findings: [] }));
  expect(observed.label?.tone).toBe('plain');
});

it('distinguishes an answered call from a failed one', () => {
  const usage = { input_tokens: 3, output_tokens: 5, cached_input_tokens: 0, estimated: true };
  const call = { provider: 'local', model: 'echo-1', region: null, attempt: 1, latency_ms: 12 };
  const answered = stepOf(event('provider_call', { ...call, outcome: 'answered', usage }, 'local'));
  expect(answered.label?.tone).toBe('good');
  expect(answered.details).toEqual(['3 tokens in, 5 out (estimated)', '12 ms']);
  expect(stepOf(event('provider_call', { ...call, outcome: 'timeout' }, 'local')).label?.tone).toBe('bad');
});

it('shows which parts of a request were left out', () => {
  expect(stepOf(event('unsupported', { names: ['tools.web_search', 'include'] }, '')).details).toEqual([
    'tools.web_search, include',
  ]);
});

it('has words for every event, with or without its data', () => {
  for (const type of EVENT_TYPES) expect(stepOf(event(type, {})).title).not.toBe('');
});

it('says who decided, and how many approvals there are', () => {
  const data = {
    decision: 'approved',
    principal_id: 'bob',
    at: '2026-11-27T09:00:00.000Z',
    subject: 'b-1',
    issuer: 'https://id.example',
  };
  const line = eventLine(event('decision', { ...data, approvals: { given: 1, needed: 2 } }, ''));
  expect(line).toBe('bob decided: approved (approval 1 of 2; b-1 at https://id.example; 2026-11-27T09:00:00.000Z)');
});

it('shows an event of a newer release by its type', () => {
  expect(eventLine(event('later', { any: 1 }))).toBe('later');
});
