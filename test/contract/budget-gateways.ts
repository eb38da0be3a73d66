import type { JsonObject } from '@svc/contracts';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, type StartOptions, TestGateway } from '../harness/gateway.ts';

export const limit = (unit: string, amount: number, more: JsonObject = {}): JsonObject => ({
  scope: 'principal',
  unit,
  amount,
  // Long, so that no period ends during a test.
  period: 'month',
  ...more,
});
export const budget = (limits: JsonObject[], more: JsonObject = {}): JsonObject => ({ type: 'budget', limits, ...more });
export const route = (more: JsonObject = {}, packs: string[] = ['budget']): JsonObject => ({
  provider: 'local',
  model: 'echo-1',
  pipeline: { ingress: packs, egress: packs },
  ...more,
});

/** Only a separate process can be killed. */
export const KILLED = { here: false };

/** The gateways of a test file, all with the same upstream. Each lives as long as its test. */
export class BudgetGateways {
  readonly #open: TestGateway[] = [];
  #upstream: Upstream | undefined;

  constructor() {
    beforeAll(async () => {
      this.#upstream = await startUpstream();
    });
    afterEach(async () => {
      for (const gateway of this.#open.splice(0)) await gateway.dispose();
    });
    afterAll(() => this.#upstream?.close());
  }

  get upstream(): Upstream {
    if (this.#upstream === undefined) throw new Error('the upstream starts before the first test');
    return this.#upstream;
  }

  readonly start = async (packs: JsonObject, routes: JsonObject, options: Partial<StartOptions> = {}): Promise<TestGateway> => {
    const base_url = this.upstream.url;
    const providers = {
      first: { type: 'openai', base_url, timeout_ms: 5000 },
      nobody: { type: 'openai', base_url: 'http://127.0.0.1:1', timeout_ms: 5000 },
      hasty: { type: 'openai', base_url, timeout_ms: 200 },
    };
    const gateway = await TestGateway.start({ here: true, config: echoConfig({ packs, routes, providers }), ...options });
    this.#open.push(gateway);
    return gateway;
  };
}

export const reasonOf = ({ body }: Answer): string => body.choices[0].finish_reason;
export const textOf = ({ body }: Answer): string => body.choices[0].message.content;
/** An answer with these token counts in its usage. */
export const using = (prompt_tokens: number, completion_tokens: number, cached_tokens = 0) =>
  answer({
    ...completionOf({}, 'fine'),
    usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens },
    },
  });
/** What the budget says is left, in its block message. */
export const leftOf = (blocked: Answer): string | undefined => /; ([\d.]+ \w+) (?:is|are) left until/.exec(textOf(blocked))?.[1];
/** Sends a request too large for any budget, and reads what is left. */
export const left = async (gateway: TestGateway, model = 'default'): Promise<string | undefined> =>
  leftOf(await gateway.chat('hello', { model, max_tokens: 1_000_000 }));
