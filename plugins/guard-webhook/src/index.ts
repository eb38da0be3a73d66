import { randomUUID } from 'node:crypto';
import { defineGuard, type GuardContext, type GuardResult, type Segment } from '@svc/sdk';
import { WebhookClient } from '@svc/toolkit/webhook';
import { question, resultOf } from './exchange.ts';
import { Options } from './options.ts';

/** Why there is no verdict, for the log. The gateway only sees that the check failed. */
class NoVerdict extends Error {
  readonly fields: Readonly<Record<string, unknown>>;
  constructor(fields: Readonly<Record<string, unknown>>) {
    super('the endpoint did not return a valid verdict');
    this.name = 'NoVerdict';
    this.fields = fields;
  }
}

/** The guard `webhook`: an HTTP endpoint of the operator decides. See README.md. */
export default defineGuard({
  type: 'webhook',
  options: Options,
  create({ verdicts, ...options }, deps) {
    const { name, logger } = deps;
    const client = new WebhookClient(options, deps);
    const ask = async (segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> => {
      const { status, text } = await client.post(`msg_${randomUUID()}`, JSON.stringify(question(segments, ctx)), ctx.signal);
      if (status !== 200) throw new NoVerdict({ reason: 'status', status });
      const result = resultOf(text);
      if (result === null) throw new NoVerdict({ reason: 'no-verdict' });
      if (result.verdict !== 'allow' && !verdicts.includes(result.verdict)) throw new NoVerdict({ reason: 'undeclared-verdict' });
      return result;
    };
    return {
      stages: ['ingress', 'egress'],
      reads_numbers: true,
      verdicts,
      start: async () => client.open(),
      close: () => client.close(),
      check: (segments, ctx) =>
        ask(segments, ctx).catch((error: unknown) => {
          const { run_id, signal } = ctx;
          logger.warn({
            event: 'guard_webhook_failed',
            node: name,
            run_id,
            ...(signal.aborted ? { reason: 'given-up' } : fieldsOf(error)),
          });
          throw error;
        }),
    };
  },
});

/** A system code such as ECONNREFUSED. Never a message, which may contain text from the endpoint. */
function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof NoVerdict) return error.fields;
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return { reason: typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : 'unknown' };
}
