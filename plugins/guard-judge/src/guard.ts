import type { Guard, GuardContext, GuardDeps, GuardResult, Segment } from '@svc/sdk';
import { counted, GuardService, textBatches } from '@svc/toolkit/service';
import { openAiTarget } from '@svc/toolkit/upstream';
import { categoriesIn } from './answer.ts';
import type { Options } from './options.ts';

const OVERLAP = 400;
const VERDICTS = { block: 'block', require_approval: 'require_approval', flag: 'allow' } as const;
/** Llama Guard's categories, and `unsafe` for a verdict without categories. */
const LLAMA_GUARD = /^(?:S\d{1,2}|unsafe)$/;
/** In order of strictness, the strictest first. */
const ORDER = ['block', 'require_approval', 'flag'] as const;

/** @throws {Error} with the key and the remedy, for options that cannot be used */
export function makeGuard(options: Options, deps: GuardDeps): Guard {
  const { model, prompt, parameters, action, categories, max_characters } = options;
  const service = new GuardService(openAiTarget(options, '/chat/completions'), options, deps);
  const system = prompt === undefined ? [] : [{ role: 'system', content: prompt }];
  const listed = new Map(Object.entries(categories));
  const actionOf = (name: string) => listed.get(name) ?? action;
  // A model's other words are not recorded, because they may quote the text.
  const recorded = (name: string) => (listed.has(name) || LLAMA_GUARD.test(name) ? name : 'other');

  const check = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
    const answers = await service.ask(
      textBatches(segments, max_characters, OVERLAP),
      ctx,
      ({ text: content }) => ({ ...parameters, model, messages: [...system, { role: 'user', content }], stream: false }),
      categoriesIn,
    );
    const found = answers.flat();
    const strictest = ORDER.find((each) => found.some((name) => actionOf(name) === each)) ?? 'flag';
    const findings = counted(answers.flatMap((names) => [...new Set(names.map(recorded))]));
    return { verdict: VERDICTS[strictest], code: found.length === 0 ? 'safe' : 'unsafe', edits: [], findings };
  };
  return {
    stages: ['ingress', 'egress'],
    calls_service: true,
    verdicts: [...new Set([action, ...listed.values()].map((each) => VERDICTS[each]))].filter((verdict) => verdict !== 'allow'),
    check,
    close: () => service.close(),
  };
}
