import type { Guard, GuardContext, GuardDeps, GuardResult, Segment } from '@svc/sdk';
import { GuardService } from '@svc/toolkit/service';
import { openAiTarget } from '@svc/toolkit/upstream';
import { inputOf, resultOf } from './exchange.ts';
import type { Options } from './options.ts';

/** @throws {Error} with the key and the remedy, for options that cannot be used */
export function makeGuard(options: Options, deps: GuardDeps): Guard {
  const service = new GuardService(openAiTarget(options, `/v1/data/${options.path}`), options, deps);
  const check = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
    const question = { input: inputOf(segments, ctx) };
    const leaveOut = () => deps.logger.warn({ event: 'guard_reason_left_out', node: deps.name, run_id: ctx.run_id });
    const [result] = await service.ask(
      [question],
      ctx,
      (asked) => asked,
      (answer, _, wrong) => resultOf(answer, wrong, leaveOut),
    );
    if (result === undefined) throw new Error('no answer');
    return result;
  };
  return {
    stages: ['ingress', 'egress'],
    calls_service: true,
    reads_numbers: true,
    verdicts: ['block', 'require_approval'],
    check,
    close: () => service.close(),
  };
}
