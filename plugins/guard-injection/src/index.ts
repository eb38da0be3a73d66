import { defineGuard } from '@svc/sdk/plugin';
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
      check: (segments, { signal }) => judge(options, segments, new Turns(clock, signal)),
    };
  },
});
