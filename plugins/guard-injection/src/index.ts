import { defineGuard } from '@svc/sdk';
import { Turns } from '@svc/toolkit/work';
import { assess } from './assess.ts';
import { findingOf } from './finding.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { scan } from './scan.ts';

/** The guard `injection`: heuristics against prompt injection. README.md has measurements. */
export default defineGuard({
  type: 'injection',
  options: Options,
  create(options, { clock }) {
    const finding = findingOf(options);
    return {
      stages: ['ingress'],
      verdicts: options.hidden === 'strip' ? [options.verdict, 'sanitize'] : [options.verdict],
      // Warm-up: several hundred patterns compile on first use, and no request should wait for that.
      async start() {
        for (const _ of assess('Good morning.'));
      },
      check: (segments, ctx) => judge(options, finding, segments, ctx, new Turns(ctx, clock)),
      scan: (text, work) => scan(options, text, work, new Turns(undefined, clock)),
    };
  },
});
