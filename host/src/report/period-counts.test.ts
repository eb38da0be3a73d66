import type { ModelInventory, RunEvidence } from '@svc/contracts';
import { expect, it } from 'vitest';
import { PeriodCounts, reviewsOf } from './period-counts.ts';

type Event = RunEvidence['events'][number];
const verdict = (node: string, said: string, event_type: 'verdict' | 'observed' = 'verdict') =>
  ({ event_type, stage: 'ingress', node, data: { verdict: said } }) as Event;
const decision = (principal_id: string, said: string) =>
  ({ event_type: 'decision', stage: 'approval', node: 'policy', data: { decision: said, principal_id } }) as Event;
const call = (micro_usd?: number) =>
  ({
    event_type: 'provider_call',
    stage: 'execute',
    node: 'local',
    data: {
      outcome: 'answered',
      usage: { input_tokens: 10, output_tokens: 4 },
      ...(micro_usd !== undefined && { price: { micro_usd } }),
    },
  }) as unknown as Event;

it('counts runs by route, verdicts by guard and decisions by approver', () => {
  const counts = new PeriodCounts();
  counts.add({ route: 'b', status: 'completed', events: [verdict('pii', 'sanitize'), call(200)] });
  counts.add({ route: 'a', status: 'completed', events: [verdict('pii', 'allow'), verdict('new', 'block', 'observed'), call()] });
  counts.add({ route: 'a', status: 'denied', events: [verdict('pii', 'require_approval'), decision('alice', 'denied')] });
  counts.add({ route: 'a', status: 'completed', events: [decision('bob', 'approved'), decision('alice', 'approved'), call(50)] });
  expect(counts.result()).toEqual({
    routes: [
      {
        route: 'a',
        runs: 3,
        by_status: { completed: 2, denied: 1 },
        input_tokens: 20,
        output_tokens: 8,
        micro_usd: 50,
        runs_without_price: 1,
      },
      {
        route: 'b',
        runs: 1,
        by_status: { completed: 1 },
        input_tokens: 10,
        output_tokens: 4,
        micro_usd: 200,
        runs_without_price: 0,
      },
    ],
    guards: [
      { route: 'a', guard: 'new', stage: 'ingress', verdicts: {}, observed: { block: 1 } },
      { route: 'a', guard: 'pii', stage: 'ingress', verdicts: { allow: 1, require_approval: 1 }, observed: {} },
      { route: 'b', guard: 'pii', stage: 'ingress', verdicts: { sanitize: 1 }, observed: {} },
    ],
    approvers: [
      { route: 'a', principal_id: 'alice', approved: 1, denied: 1 },
      { route: 'a', principal_id: 'bob', approved: 1, denied: 0 },
    ],
  });
});

it('counts routes and statuses with names of an object', () => {
  const counts = new PeriodCounts();
  counts.add({ route: '__proto__', status: 'constructor', events: [] });
  expect(counts.result().routes).toMatchObject([{ route: '__proto__', by_status: { constructor: 1 } }]);
});

it('a review is overdue from the day after it was due', () => {
  const route = (model_id: string, next_review_date: string | null) =>
    ({
      model_id,
      model_owner: null,
      model_risk_rating: null,
      date_of_most_recent_review: null,
      next_review_date,
    }) as ModelInventory;
  const inventory = [
    route('later', '2026-12-01'),
    route('today', '2026-11-27'),
    route('never', null),
    route('past', '2026-11-26'),
  ];
  const reviews = reviewsOf(inventory, '2026-11-27T23:59:59.000Z');
  expect(reviews.map(({ route: name, overdue }) => [name, overdue])).toEqual([
    ['past', true],
    ['today', false],
    ['later', false],
  ]);
});
