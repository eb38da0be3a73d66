import { expect, it } from 'vitest';
import { notablesOf } from './notable.ts';

const event = (event_type: string, node: string, data: Record<string, unknown>) => ({ event_type, stage: 'ingress', node, data });
const verdict = (node: string, word: string, code: string) => event('verdict', node, { verdict: word, code, findings: [] });

it('names each guard that did something, once', () => {
  const events = [
    event('state', '', { from: null, to: 'running' }),
    verdict('mask', 'sanitize', 'account'),
    verdict('policy', 'allow', 'clean'),
    verdict('mask', 'sanitize', 'account'),
    verdict('policy', 'block', 'forbidden'),
    event('observed', 'watch', { verdict: 'block', code: 'seen' }),
  ];
  expect(notablesOf(events).map(({ label, note }) => [label.text, note])).toEqual([
    ['masked', 'mask: account'],
    ['blocked', 'policy: forbidden'],
  ]);
});

it('names who decided', () => {
  const decision = event('decision', 'policy', { decision: 'denied', principal_id: 'bob' });
  expect(notablesOf([decision])).toEqual([{ label: { text: 'denied', tone: 'bad' }, note: 'bob' }]);
});

it('names an error', () => {
  expect(notablesOf([event('error', '', { code: 'SVC-UP-001' })])).toMatchObject([
    { label: { text: 'SVC-UP-001', tone: 'bad' } },
  ]);
});
