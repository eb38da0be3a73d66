import { defineGuard } from '@svc/sdk';
import { assertRestorable } from '@svc/toolkit/masking';
import { Turns } from '@svc/toolkit/work';
import { choose } from './chosen.ts';
import { exactFinder } from './exact-finder.ts';
import { findingOf } from './finding.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { scan } from './scan.ts';
import { openStream } from './stream.ts';

/** The guard `secrets`: keys, tokens and passwords. See README.md. */
export default defineGuard({
  type: 'secrets',
  options: Options,
  create(options, { clock }) {
    const chosen = choose(options);
    const finding = findingOf(options, chosen);
    const { verdict } = options;
    assertRestorable(options.restore, verdict);
    return {
      stages: ['ingress', 'egress'],
      reads_numbers: true,
      verdicts: options.restore === false ? [verdict] : [...new Set([verdict, 'sanitize' as const])],
      check: (segments, ctx) => judge(finding, options, segments, ctx, new Turns(ctx, clock)),
      scan: (text, work) => scan(text, finding, work),
      // Text that was already sent cannot wait for approval.
      ...(verdict !== 'require_approval' && {
        stream: {
          capability: 'window' as const,
          open: (ctx) => openStream(chosen, exactFinder(chosen), finding, options, ctx),
        },
      }),
    };
  },
});
