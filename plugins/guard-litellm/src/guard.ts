import { allow, type Guard, type GuardContext, type GuardDeps, type GuardResult, type Segment, sanitize } from '@svc/sdk';
import { GuardService } from '@svc/toolkit/service';
import { openAiTarget } from '@svc/toolkit/upstream';
import { question, read } from './exchange.ts';
import type { Options } from './options.ts';

/** @throws {Error} with the key and the remedy, for options that cannot be used */
export function makeGuard(options: Options, deps: GuardDeps): Guard {
  const { verdict, parameters = {} } = options;
  const service = new GuardService(openAiTarget(options, '/beta/litellm_basic_guardrail_api'), options, deps);
  const check = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
    if (segments.length === 0) return allow('no-text');
    const [answered] = await service.ask(
      [segments],
      ctx,
      () => question(segments, ctx, parameters),
      (answer) => read(answer, segments),
    );
    if (answered === undefined) throw new Error('no answer');
    if (answered.isBlocked) return { verdict, code: 'guardrail', edits: [], findings: [{ entity_type: 'guardrail', count: 1 }] };
    const { edits } = answered;
    if (edits.length === 0) return allow('guardrail');
    return sanitize('guardrail', { edits: [...edits], findings: [{ entity_type: 'guardrail', count: edits.length }] });
  };
  return {
    stages: ['ingress', 'egress'],
    calls_service: true,
    reads_numbers: true,
    verdicts: ['sanitize', verdict],
    check,
    close: () => service.close(),
  };
}
