import { defineGuard } from '@svc/sdk';
import { Turns } from '@svc/toolkit/work';
import { assess } from './assess.ts';
import { findingOf } from './finding.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';

/** The guard `injection`: heuristics against prompt injection. See README.md for how well they do. */
export default defineGuard({
  type: 'injection',
  options: Options,
  create(options, { clock }) {
    const finding = findingOf(options);
    return {
      stages: ['ingress'],
      verdicts: options.hidden === 'strip' ? [options.verdict, 'sanitize'] : [options.verdict],
      // Some hundred patterns are compiled when they are first used, which no request has to wait for.
      async start() {
        for (const _ of assess('Good morning.'));
      },
      check: (segments, ctx) => judge(options, finding, segments, ctx, new Turns(ctx.signal, clock)),
    };
  },
});
