import { defineGuard } from '@svc/sdk/plugin';
import { compileRules } from './compile.ts';
import { judge } from './judge.ts';
import { Options } from './options.ts';
import { turns } from './turns.ts';

/** The guard `rules`: patterns, words and length bounds that the operator writes down. See README.md. */
export default defineGuard({
  type: 'rules',
  options: Options,
  create({ rules }, { clock }) {
    const compiled = compileRules(rules);
    return {
      stages: ['ingress', 'egress'],
      verdicts: [...new Set(compiled.map(({ verdict }) => verdict))],
      check: (segments, { signal }) => judge(compiled, segments, turns(clock, signal)),
    };
  },
});
