import { expect, it } from 'vitest';
import type { RouteNode } from '../shared/api-types.ts';
import { examplesFor } from './examples.ts';

const route = (ingress: RouteNode[]) => ({
  name: 'default',
  owner: null,
  risk_rating: null,
  review_interval_days: null,
  residency: [],
  approvers: [],
  provider: { name: 'local', type: 'echo', region: null, model: 'echo-1' },
  fallbacks: [],
  pipeline: { ingress, egress: [] },
});
const node = (name: string, type: string): RouteNode => ({ name, type, package: 'p', version: '1.0.0', mode: 'enforce' });

it('offers examples only where the starter guards look at the message', () => {
  const mask = node('mask', 'rules');
  const policy = node('policy', 'rules');
  expect(examplesFor(route([node('pii', 'pii'), mask, policy])).length).toBeGreaterThan(0);
  expect(examplesFor(route([mask]))).toEqual([]);
  expect(examplesFor(route([mask, node('policy', 'banned-words')]))).toEqual([]);
  expect(examplesFor(route([]))).toEqual([]);
});
