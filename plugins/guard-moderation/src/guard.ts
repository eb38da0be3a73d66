import type { Guard, GuardContext, GuardDeps, GuardResult, Segment } from '@svc/sdk';
import { counted, GuardService, textBatches } from '@svc/toolkit/service';
import { openAiTarget } from '@svc/toolkit/upstream';
import { categoriesIn } from './answer.ts';
import type { Options } from './options.ts';

const OVERLAP = 200;
/** Maximum number of texts in one request. OpenAI documents no limit, but other servers have one. */
const TEXTS = 32;
const VERDICTS = { block: 'block', require_approval: 'require_approval', flag: 'allow' } as const;
/** In order of strictness, the strictest first. */
const ORDER = ['block', 'require_approval', 'flag'] as const;

/** @throws {Error} with the key and the remedy, for options that cannot be used */
export function makeGuard(options: Options, deps: GuardDeps): Guard {
  const { model, action, categories, max_characters } = options;
  const service = new GuardService(openAiTarget(options, '/moderations'), options, deps);
  const listed = new Map(Object.entries(categories));
  const thresholds = new Map(
    [...listed].flatMap(([name, { threshold }]) => (threshold === undefined ? [] : [[name, threshold]])),
  );
  const actionOf = (name: string) => listed.get(name)?.action ?? action;

  const check = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
    // Texts are not joined, because a long harmless text could hide a short one.
    const texts = segments.flatMap((segment) => textBatches([segment], max_characters, OVERLAP).map(({ text }) => text));
    const groups = Array.from({ length: Math.ceil(texts.length / TEXTS) }, (_, i) => texts.slice(i * TEXTS, (i + 1) * TEXTS));
    const answers = await service.ask(
      groups,
      ctx,
      (input) => ({ model, input }),
      (answer, { length }) => categoriesIn(answer, length, thresholds),
    );
    const found = answers.flat();
    const strictest = ORDER.find((each) => found.some((name) => actionOf(name) === each)) ?? 'flag';
    // `harassment/threatening` is recorded as `harassment.threatening`.
    const findings = counted(found.map((name) => name.replaceAll('/', '.')));
    return { verdict: VERDICTS[strictest], code: 'moderation', edits: [], findings };
  };
  const actions = [action, ...[...listed.keys()].map(actionOf)];
  return {
    stages: ['ingress', 'egress'],
    calls_service: true,
    verdicts: [...new Set(actions.map((each) => VERDICTS[each]))].filter((verdict) => verdict !== 'allow'),
    check,
    close: () => service.close(),
  };
}
