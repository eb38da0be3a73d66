import { allow, defineGuard } from '@svc/sdk';
import type { EndpointVerdict } from '@svc/sdk/guard';
import { type Static, Type } from 'typebox';

const Options = Type.Object(
  {
    allowed_regions: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      uniqueItems: true,
      description: "Allowed values of the providers' `region` (exact match). A provider without a region is never allowed.",
    }),
    require_approval: Type.Boolean({ default: false, description: 'Pause the run for an approver instead of blocking it.' }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;

/** Checks endpoints before each call, not text. */
const TEXT = allow('asked-before-each-call');
const INSIDE: EndpointVerdict = { verdict: 'allow', code: 'region-allowed' };
const OUTSIDE = 'The model is not in a region that this route allows';
const HINTS = {
  block: { text: `${OUTSIDE}. Changing the request does not help; use another route.` },
  require_approval: { text: `${OUTSIDE} without approval.` },
} as const;

/** The guard `residency`: allows calls only to models in allowed regions. See README.md. */
export default defineGuard({
  type: 'residency',
  options: Options,
  create({ allowed_regions, require_approval }) {
    const verdict = require_approval ? 'require_approval' : 'block';
    const allows = (region: string | null): boolean => region !== null && allowed_regions.includes(region);
    const refused = (endpoint: number | 'embedder') =>
      ({ code: 'SVC-POL-005', endpoint, message: `its allowed_regions are ${allowed_regions.join(', ')}` }) as const;
    const outside = (code: string): EndpointVerdict => ({ verdict, code, hint: HINTS[verdict] });
    return {
      stages: ['ingress'],
      verdicts: [verdict],
      lint: ({ endpoints, embedder }) => [
        ...[...endpoints.entries()].flatMap(([endpoint, { region }]) => (allows(region) ? [] : refused(endpoint))),
        ...(embedder === null || allows(embedder.region) ? [] : [refused('embedder')]),
      ],
      check: () => TEXT,
      endpoint: (_ctx, { region }) => {
        if (region === null) return outside('region-unknown');
        return allows(region) ? INSIDE : outside('region-not-allowed');
      },
    };
  },
});
