import type { GuardDeps } from '@svc/sdk';
import { guardConformance } from '@svc/sdk/testing';
import { describe, test } from 'vitest';
import residency from './index.ts';

const endpoints = ['eu', 'us', null].map((region) => ({ provider: 'p', model: 'm', region }));

describe.each([true, false])('guard conformance, require_approval: %s', (require_approval) => {
  const guard = (deps: GuardDeps) => residency.create({ allowed_regions: ['eu'], require_approval }, deps);
  for (const { name, run } of guardConformance({ guard, samples: [], context: { endpoints } })) test(name, run);
});
