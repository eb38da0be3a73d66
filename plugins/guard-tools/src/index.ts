import { allow, block, defineGuard, type GuardContext, type GuardResult } from '@svc/sdk';
import type { MadeCall, RunTools } from '@svc/sdk/guard';
import { type Fits, fitsOf } from './arguments.ts';
import { faultOf, judgeCall } from './calls.ts';
import { resultOf } from './judged.ts';
import { type OfferOf, offersIn, ruledCall } from './names.ts';
import { Options } from './options.ts';
import { compileRules, type Rule } from './policy.ts';
import {
  hasTooMany,
  judgeListed,
  judgeOffers,
  judgeResults,
  type Policy,
  pinsOf,
  type RulesOf,
  ruledResults,
} from './request.ts';
import { routeFaults } from './route-faults.ts';
import { verdictsOf } from './verdicts.ts';

/** The guard `tools`: which tools may be offered, called and answered. See README.md. */
export default defineGuard({
  type: 'tools',
  options: Options,
  create(options) {
    const policy: Policy = { options, rules: compileRules(options.rules) };
    const pins = pinsOf(options);

    const judgeRequest = (tools: RunTools, ctx: GuardContext): GuardResult | Promise<GuardResult> => {
      if (hasTooMany(tools)) return block('too-many-tools');
      const offers = judgeOffers(tools, policy, pins, ctx);
      const results = ruledResults(tools);
      const rulesOf = rulesFor(policy, ctx);
      const judged = (fits: Fits): GuardResult => resultOf([...offers, ...judgeResults(results, policy, rulesOf, fits)]);
      return withFits([...new Set(results.map(({ calls }) => calls))].flat(), rulesOf, ctx, judged);
    };

    /** Judges the calls of an answer and the tools that MCP servers listed in it, or those of each part of a stream. */
    const answerJudge = (tools: RunTools, ctx: GuardContext) => {
      const rulesOf = rulesFor(policy, ctx);
      let known: OfferOf | undefined;
      return (): GuardResult | Promise<GuardResult> => {
        const { calls, listed } = tools;
        if (calls.length + listed.length === 0) return allow('tools');
        if (hasTooMany({ offered: listed, results: [] })) return block('too-many-tools');
        const lists = judgeListed(listed, policy, pins, ctx);
        const offerOf = known ?? offersIn(tools.offered);
        known = offerOf;
        const made = calls.map((call) => {
          const offer = offerOf(call);
          const ruled = ruledCall(call, offer);
          return { ruled, fault: faultOf({ call: ruled, isOffered: offer !== undefined }, options) };
        });
        const sound = made.flatMap(({ ruled, fault }) => (fault === null ? [ruled] : []));
        const judged = (fits: Fits): GuardResult =>
          resultOf([...lists, ...made.flatMap(({ ruled, fault }) => fault ?? judgeCall(ruled, policy, rulesOf, fits))]);
        return withFits(sound, rulesOf, ctx, judged);
      };
    };

    return {
      stages: ['ingress', 'egress'],
      verdicts: verdictsOf(options),
      reads_calls: true,
      check: (_, ctx) => (ctx.stage === 'ingress' ? judgeRequest(toolsOf(ctx), ctx) : answerJudge(toolsOf(ctx), ctx)()),
      stream: {
        capability: 'window',
        open: (ctx) => ({
          push: ({ text }) => ({ release: text }),
          end: () => ({ release: '' }),
          complete: answerJudge(toolsOf(ctx), ctx),
          finish: () => allow('tools'),
        }),
      },
      lint: routeFaults,
    };
  },
});

/** @throws {Error} if the protocol does not describe its tools: the guard then fails */
function toolsOf({ tools }: GuardContext): RunTools {
  if (tools === null) throw new Error('the protocol of the request does not describe its tools');
  return tools;
}

/** The rules that match the name of a call, the route and the principal, up to the first one that decides whatever the arguments are. */
function rulesFor({ rules }: Policy, ctx: GuardContext): RulesOf {
  const known = new Map<string, ReturnType<RulesOf>>();
  return (call) => {
    const key = `${call.kind} ${call.name}`;
    const found = known.get(key) ?? upToDecisive(rules.filter((rule) => rule.matches(call, ctx)));
    known.set(key, found);
    return found;
  };
}

function upToDecisive(rules: readonly Rule[]): readonly Rule[] {
  const last = rules.findIndex(({ schema }) => schema === null);
  return last === -1 ? rules : rules.slice(0, last + 1);
}

/** Synchronous if no rule looks at arguments. */
function withFits(
  calls: readonly MadeCall[],
  rulesOf: RulesOf,
  ctx: GuardContext,
  judged: (fits: Fits) => GuardResult,
): GuardResult | Promise<GuardResult> {
  const candidates = new Map(calls.map((call) => [call, rulesOf(call)]));
  const isNeeded = [...candidates.values()].some((rules) => rules.some(({ schema }) => schema !== null));
  return isNeeded ? fitsOf(candidates, ctx).then(judged) : judged(() => false);
}
