import { defineGuard } from '@svc/sdk/plugin';
import { assess } from './assess.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { Turns } from './turns.ts';

/** The guard `injection`: heuristics against prompt injection. See README.md for how well they do. */
export default defineGuard({
  type: 'injection',
  options: Options,
  create(options, { clock }) {
    return {
      stages: ['ingress'],
      verdicts: options.hidden === 'strip' ? [options.verdict, 'sanitize'] : [options.verdict],
      // Some hundred patterns are compiled when they are first used, which no request has to wait for.
      async start() {
        for (const _ of assess('Good morning.'));
      },
      check: (segments, { signal }) => judge(options, segments, new Turns(clock, signal)),
    };
  },
});
