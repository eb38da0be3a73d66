import { defineGuard } from '@svc/sdk/plugin';
import { choose } from './chosen.ts';
import { exactFinder } from './exact-finder.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { scan } from './scan.ts';
import { openStream } from './stream.ts';

/** The guard `secrets`: keys, tokens and passwords. See README.md. */
export default defineGuard({
  type: 'secrets',
  options: Options,
  create(options) {
    const chosen = choose(options);
    const finder = exactFinder(chosen);
    const { verdict } = options;
    return {
      stages: ['ingress', 'egress'],
      reads_numbers: true,
      verdicts: [verdict],
      check: (segments) => judge(chosen, finder, verdict, segments),
      scan: (text) => scan(text, chosen, finder),
      // What has left cannot wait for an approver.
      ...(verdict !== 'require_approval' && {
        stream_capability: 'window' as const,
        openStream: ({ signal }) => openStream(chosen, finder, verdict, signal),
      }),
    };
  },
});
