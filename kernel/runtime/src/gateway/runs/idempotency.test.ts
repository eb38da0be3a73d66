import { expect, it } from 'vitest';
import { assertSameRequest, requestDigest } from './idempotency.ts';

const KEY = { value: 'key', endpoint: 'POST /v1/runs', body: { route: 'r', messages: ['text'] } };
const digest = (key: Partial<typeof KEY> = {}, principal_id = 'alice', route = 'r') =>
  requestDigest(principal_id, route, { ...KEY, ...key });

it('is bound to key, endpoint, principal, route and body, whatever the order of its keys', () => {
  const body = { messages: ['text'], route: 'r' };
  expect(digest({ body })).toBe(digest());
  const others = [
    digest({ value: 'other' }),
    digest({ endpoint: 'POST /v1/chat/completions' }),
    digest({}, 'bob'),
    digest({}, 'alice', 's'),
    digest({ body: { ...KEY.body, messages: ['texts'] } }),
  ];
  expect(new Set([digest(), ...others]).size).toBe(6);
});

it('of a run of an earlier release, which has no digest, the route is compared', () => {
  const asked = { route: 'r', request_digest: digest() };
  expect(() => assertSameRequest({ route: 'r' }, asked)).not.toThrow();
  expect(() => assertSameRequest({ route: 's' }, asked)).toThrow(expect.objectContaining({ code: 'SVC-RUN-006' }));
});
