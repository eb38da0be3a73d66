import { allow, defineGuard } from '@svc/sdk';
import { Turns } from '@svc/toolkit/work';
import { streamMode } from './capability.ts';
import { compileRules } from './compile.ts';
import { findingOf } from './finding.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { scan } from './scan.ts';
import { openStream } from './stream.ts';

/** The guard `rules`: patterns, words and length limits set by the operator. See README.md. */
export default defineGuard({
  type: 'rules',
  options: Options,
  create({ rules, stream }, { clock }) {
    const compiled = compileRules(rules);
    const mode = streamMode(stream, compiled);
    const edits = findingOf(rules, compiled, 'edits');
    const hits = findingOf(rules, compiled, 'hits');
    return {
      stages: ['ingress', 'egress'],
      reads_numbers: true,
      verdicts: [...new Set(compiled.map(({ verdict }) => verdict))],
      check: (segments, ctx) =>
        edits.isClean(segments) ? allow('no-match') : judge(edits, compiled, segments, ctx, new Turns(ctx, clock)),
      scan: (text, work) => scan(hits, compiled, text, work, new Turns(undefined, clock)),
      ...(mode !== 'buffer' && {
        stream: {
          capability: mode,
          open: (ctx) => openStream(edits, rules, compiled, mode, ctx, () => new Turns(ctx, clock)),
        },
      }),
    };
  },
});
