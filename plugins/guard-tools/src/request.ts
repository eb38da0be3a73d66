import type { GuardContext } from '@svc/sdk';
import type { MadeCall, OfferedTool, RunTools, ToolResult } from '@svc/sdk/guard';
import { toolDigest } from '@svc/toolkit/tools';
import type { Fits } from './arguments.ts';
import type { Judged } from './judged.ts';
import { folded, isSafe, offersIn, ruledCall } from './names.ts';
import type { Options } from './options.ts';
import { type Decision, decide, decideOffer, type Rule } from './policy.ts';

/** The text that the model gets instead of a withheld result. */
const NOTICE = 'The result of this tool was withheld by policy.';

/** The guard's configuration, in the form that its judgements need. */
export interface Policy {
  readonly options: Options;
  readonly rules: readonly Rule[];
}

/** The digests that a pinned tool may have, by the tool's folded name. */
type Pins = ReadonlyMap<string, readonly string[]>;

export function pinsOf({ pins }: Options): Pins {
  return new Map(Object.entries(pins).map(([name, digests]) => [folded(name), digests]));
}

/** Judges the tools that a request offers, and its tool choice. */
export function judgeOffers({ offered, chosen }: RunTools, policy: Policy, pins: Pins, ctx: GuardContext): Judged[] {
  const judge = definitionJudge(policy, pins, ctx);
  const withheld = new Set<OfferedTool>();
  const judged = offered.flatMap((tool): Judged[] => {
    const { refused, denied: code } = judge(tool);
    if (code === null) return refused;
    withheld.add(tool);
    return [{ verdict: 'sanitize', code, withheld: { path: tool.path } }];
  });
  const offerOf = offersIn(offered.filter((tool) => !withheld.has(tool)));
  const unknown = chosen.filter((choice) => offerOf(choice) === undefined);
  return [...judged, ...unknown.map((): Judged => ({ verdict: 'block', code: 'unknown-choice' }))];
}

/**
 * Judges the tools that MCP servers listed in an answer. The model may have them already, so they cannot be withheld: with `offered: withhold`, only
 * their calls are denied.
 */
export function judgeListed(listed: readonly OfferedTool[], policy: Policy, pins: Pins, ctx: GuardContext): Judged[] {
  const judge = definitionJudge(policy, pins, ctx);
  return listed.flatMap((tool) => judge(tool).refused);
}

/** @returns for each definition why it is refused; `denied`: the code of the denial that `offered: withhold` turns into a removal */
function definitionJudge({ options, rules }: Policy, pins: Pins, ctx: GuardContext) {
  const seen = new Set<string>();
  return (tool: OfferedTool): { refused: Judged[]; denied: string | null } => {
    const refuse = (code: string) => ({ refused: [{ verdict: 'block', code } as const], denied: null });
    if (!isSafe(tool) || !isSafe({ kind: tool.kind, name: tool.called })) return refuse('unsafe-name');
    if (isRepeated(tool, seen)) return refuse('duplicate-offer');
    const { action, code } = decideOffer(
      rules.filter((rule) => rule.matches(tool, ctx)),
      options.default,
    );
    if (action !== 'deny') return { refused: judgePin(tool, options, pins), denied: null };
    return options.offered === 'block' ? refuse(code) : { refused: [], denied: code };
  };
}

/** An MCP server may be in two lists: with its address in one, and with its settings in the other. */
function isRepeated({ kind, called, path }: OfferedTool, seen: Set<string>): boolean {
  const key = kind === 'mcp' ? `${path.replace(/\.\d+$/, '')} ${folded(called)}` : folded(called);
  const isKnown = seen.has(key);
  seen.add(key);
  return isKnown;
}

function judgePin(tool: OfferedTool, { changed_pin, unpinned }: Options, pins: Pins): Judged[] {
  const { kind, name } = tool;
  const pinned = pins.get(folded(kind === 'vendor' || kind === 'mcp' ? `${kind}:${name}` : name));
  if (pinned === undefined && unpinned === 'allow') return [];
  const digest = toolDigest(tool);
  if (pinned === undefined) return [{ verdict: 'block', code: 'unpinned', digest }];
  return pinned.includes(`sha256:${digest}`) ? [] : [{ verdict: changed_pin, code: 'changed-pin', digest }];
}

/** Judges the results in a request. Results of denied and withheld calls do not reach the model. */
export function judgeResults(results: readonly ToolResult[], policy: Policy, rulesOf: RulesOf, fits: Fits): Judged[] {
  const restricts = policy.options.default === 'deny' || policy.rules.some(({ action }) => !mayReach(action));
  const unknown = restricts ? 'unknown-result' : null;
  // Results with the same id share their calls.
  const codes = new Map<readonly MadeCall[], string | null>();
  const codeOf = (calls: readonly MadeCall[]): string | null => {
    const known = codes.get(calls);
    if (known !== undefined) return known;
    const decided = calls.map((call) => decide(rulesOf(call), policy.options.default, (rule) => fits(call, rule)));
    const code = decided.find(({ action }) => !mayReach(action))?.code ?? null;
    codes.set(calls, code);
    return code;
  };
  return results.flatMap(({ calls, path }): Judged[] => {
    const code = calls.length === 0 ? unknown : codeOf(calls);
    return code === null ? [] : [{ verdict: 'sanitize', code, withheld: { path, text: NOTICE } }];
  });
}

export type RulesOf = (call: MadeCall) => readonly Rule[];

function mayReach(action: Decision['action']): boolean {
  return action === 'allow' || action === 'approve';
}

/** The results with their calls, under the names that rules use. */
export function ruledResults({ results, offered }: RunTools): ToolResult[] {
  const offerOf = offersIn(offered);
  const ruled = new Map(results.map(({ calls }) => [calls, calls]));
  for (const calls of ruled.keys())
    ruled.set(
      calls,
      calls.map((call) => ruledCall(call, offerOf(call))),
    );
  return results.map(({ path, calls }) => ({ path, calls: ruled.get(calls) ?? calls }));
}

/** A request with more names is refused, because each name is compared with every rule. */
const MAX_NAMES = 2_000;

export function hasTooMany({ offered, results }: Pick<RunTools, 'offered' | 'results'>): boolean {
  if (offered.length > MAX_NAMES) return true;
  const names = new Set<string>();
  for (const { calls } of new Map(results.map((result) => [result.calls, result])).values())
    for (const { kind, name } of calls) names.add(`${kind} ${name}`);
  return names.size > MAX_NAMES;
}
