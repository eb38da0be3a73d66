import { defineGuard } from '@svc/sdk/plugin';
import { streamMode } from './capability.ts';
import { compileRules } from './compile.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { scan } from './scan.ts';
import { openStream } from './stream.ts';
import { turns } from './turns.ts';

/** The guard `rules`: patterns, words and length bounds that the operator writes down. See README.md. */
export default defineGuard({
  type: 'rules',
  options: Options,
  create({ rules, stream }, { clock }) {
    const compiled = compileRules(rules);
    const mode = streamMode(stream, compiled);
    return {
      stages: ['ingress', 'egress'],
      reads_numbers: true,
      verdicts: [...new Set(compiled.map(({ verdict }) => verdict))],
      check: (segments, { signal }) => judge(compiled, segments, turns(clock, signal)),
      scan: (text) => scan(compiled, text, turns(clock, new AbortController().signal)),
      ...(mode !== 'buffer' && {
        stream_capability: mode,
        openStream: ({ signal }) => openStream(compiled, mode, () => turns(clock, signal)),
      }),
    };
  },
});
