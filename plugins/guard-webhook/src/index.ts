import { randomUUID } from 'node:crypto';
import { defineGuard, type GuardContext, type GuardResult, type Segment } from '@svc/sdk';
import { logFailure } from '@svc/toolkit/service';
import { WebhookClient } from '@svc/toolkit/webhook';
import { question, resultOf } from './exchange.ts';
import { Options } from './options.ts';

/** There is no verdict. `code`: the reason, for the log. The gateway sees only that the check failed. */
class NoVerdict extends Error {
  readonly code: string;
  readonly status: number | undefined;
  constructor(code: string, status?: number) {
    super('the endpoint did not return a valid verdict');
    this.name = 'NoVerdict';
    this.code = code;
    this.status = status;
  }
}

/** The guard `webhook`: an HTTP endpoint of the operator decides. See README.md. */
export default defineGuard({
  type: 'webhook',
  options: Options,
  create({ verdicts, ...options }, deps) {
    const client = new WebhookClient(options, deps);
    const ask = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
      const { status, text } = await client.post(`msg_${randomUUID()}`, JSON.stringify(question(segments, ctx)), ctx.signal);
      if (status !== 200) throw new NoVerdict('status', status);
      const result = resultOf(text);
      if (result === null) throw new NoVerdict('no-verdict');
      if (result.verdict !== 'allow' && !verdicts.includes(result.verdict)) throw new NoVerdict('undeclared-verdict');
      return result;
    };
    return {
      stages: ['ingress', 'egress'],
      calls_service: true,
      reads_numbers: true,
      verdicts,
      start: async () => client.open(),
      close: () => client.close(),
      check: (segments, ctx) =>
        ask(segments, ctx).catch((error: unknown) => {
          logFailure(deps, ctx, error);
          throw error;
        }),
    };
  },
});
