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
  pipeline: { ingress, egress: [] },
});
const node = (name: string, type: string): RouteNode => ({ name, type, package: 'p', version: '1.0.0', mode: 'enforce' });

it('offers examples only where the starter guard looks at the message', () => {
  expect(examplesFor(route([node('pii', 'pii'), node('words', 'rules')])).length).toBeGreaterThan(0);
  expect(examplesFor(route([node('words', 'banned-words')]))).toEqual([]);
  expect(examplesFor(route([node('mine', 'rules')]))).toEqual([]);
  expect(examplesFor(route([]))).toEqual([]);
});
