import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { describe, expect, it } from 'vitest';
import residency from './index.ts';

const guardOf = (require_approval: boolean) =>
  residency.create({ allowed_regions: ['eu', 'ch'], require_approval }, fakePluginDeps());
const ask = (region: string | null, require_approval = false) =>
  guardOf(require_approval).endpoint?.(fakeGuardContext(), { provider: 'p', model: 'm', region });

describe('endpoint', () => {
  it.each([
    ['eu', 'allow', 'region-allowed'],
    ['ch', 'allow', 'region-allowed'],
    ['us', 'block', 'region-not-allowed'],
    ['EU', 'block', 'region-not-allowed'],
    ['eu-west-1', 'block', 'region-not-allowed'],
    ['', 'block', 'region-not-allowed'],
    [null, 'block', 'region-unknown'],
  ])('in %s: %s', (region, verdict, code) => {
    expect(ask(region)).toMatchObject({ verdict, code });
    expect(ask(region, true)).toMatchObject({ verdict: verdict === 'block' ? 'require_approval' : verdict, code });
  });

  it('declares what lint needs to know', () => {
    expect(guardOf(true)).toMatchObject({ stages: ['ingress'], verdicts: ['require_approval'], allowed_regions: ['eu', 'ch'] });
    expect(guardOf(false)).toMatchObject({ verdicts: ['block'] });
  });
});
