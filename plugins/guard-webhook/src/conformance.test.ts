import { guardConformance } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { Endpoint, policy } from './endpoint-fixture.ts';
import webhook from './index.ts';
import type { Options } from './options.ts';

const endpoint = new Endpoint(policy);
beforeAll(() => endpoint.listen());
afterAll(() => endpoint.close());

const options = (): Options => ({
  url: endpoint.url,
  secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  allow_private: true,
  max_response_bytes: 10_000_000,
  verdicts: ['sanitize', 'block', 'require_approval'],
});

describe('guard conformance, with a real endpoint', () => {
  const cases = guardConformance({
    guard: (deps) => webhook.create(options(), deps),
    samples: ['this is forbidden here', 'my secret is out 😀'],
    clean: ['hello', ''],
  });
  for (const { name, run } of cases) test(name, run);
});
