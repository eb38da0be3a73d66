import { guardConformance, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { analyzer } from './analyzer-fixture.ts';
import presidio from './index.ts';
import { options } from './test-options.ts';

let service: Upstream;
beforeAll(async () => {
  service = await analyzer();
});
afterAll(() => service.close());

describe.each([['mask'], ['block'], ['require_approval']] as const)('guard conformance, to %s', (action) => {
  const cases = guardConformance({
    guard: (deps) => presidio.create(options(service, { entities: { EMAIL_ADDRESS: { action } } }), deps),
    samples: ['write to 😀 alice.smith@example.com please'],
    clean: ['hello', '', '<PERSON_1> is here'],
  });
  for (const { name, run } of cases) test(name, run);
});
