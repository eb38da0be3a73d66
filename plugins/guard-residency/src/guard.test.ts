import type { LintedRoute } from '@svc/sdk/guard';
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
    expect(guardOf(true)).toMatchObject({ stages: ['ingress'], verdicts: ['require_approval'] });
    expect(guardOf(false)).toMatchObject({ verdicts: ['block'] });
    const endpoints = ['eu', 'us', null, 'ch'].map((region) => ({ provider: 'p', model: 'm', region }));
    const refused = (endpoint: number | 'embedder') => ({
      code: 'SVC-POL-005',
      endpoint,
      message: expect.stringContaining('eu, ch'),
    });
    const lint = (embedder: LintedRoute['embedder']) => guardOf(true).lint?.({ stages: ['ingress'], endpoints, embedder });
    for (const embedder of [null, { region: 'eu' }]) expect(lint(embedder)).toEqual([refused(1), refused(2)]);
    for (const region of [null, 'us']) expect(lint({ region })).toEqual([refused(1), refused(2), refused('embedder')]);
  });
});
