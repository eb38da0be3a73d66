import type { GuardContext } from '@svc/sdk';
import type { MadeCall, ToolName } from '@svc/sdk/guard';
import { compileSchema } from '@svc/toolkit/json-schema';
import { globs } from './glob.ts';
import type { Options, RuleOptions } from './options.ts';

export type Action = RuleOptions['action'];
type Matcher = (text: string) => boolean;

export interface Rule {
  readonly name: string;
  readonly action: Action;
  readonly matches: (tool: ToolName, run: Pick<GuardContext, 'route' | 'principal_id'>) => boolean;
  /** JSON Schema as text. Null: the rule applies to any arguments. */
  readonly schema: string | null;
}

/** The action of a rule or of the default, and the name of the rule. */
export interface Decision {
  readonly action: Action;
  readonly code: string;
}

/** The guard's own codes. No rule may have one of these names. */
const OWN_CODES = [
  'changed-pin',
  'default',
  'duplicate-offer',
  'malformed-arguments',
  'placeholder',
  'too-many-tools',
  'tools',
  'unknown-choice',
  'unknown-result',
  'unoffered-call',
  'unpinned',
  'unsafe-name',
] as const;

/** @throws {Error} with the rule and its fault */
export function compileRules(rules: readonly RuleOptions[]): readonly Rule[] {
  const names = new Set<string>();
  return rules.map((rule) => {
    const { name, action } = rule;
    if (OWN_CODES.some((code) => code === name))
      throw new Error(`rules: the name ${name} is reserved for one of the guard's own codes; choose another`);
    if (names.has(name)) throw new Error(`rules: two rules have the name ${name}`);
    names.add(name);
    return { name, action, matches: matcherOf(rule), schema: schemaOf(rule) };
  });
}

function matcherOf({ name, tools, vendor_tools, mcp, routes, principals }: RuleOptions): Rule['matches'] {
  if (tools === undefined && vendor_tools === undefined && mcp === undefined)
    throw new Error(`rules: ${name} needs tools, vendor_tools or mcp`);
  const [callers, vendors, servers] = [tools, vendor_tools, mcp].map((list) => matching(list, true));
  const [route, principal] = [routes, principals].map((list) => (list === undefined ? () => true : matching(list, false)));
  const byKind = { function: callers, custom: callers, vendor: vendors, mcp: servers };
  return (tool, run) =>
    byKind[tool.kind]?.(tool.name) === true && route?.(run.route) === true && principal?.(run.principal_id) === true;
}

function matching(list: readonly string[] | undefined, anyCase: boolean): Matcher {
  return list === undefined ? () => false : globs(list, { anyCase });
}

function schemaOf({ name, arguments: schema }: RuleOptions): string | null {
  if (schema === undefined) return null;
  try {
    compileSchema(schema);
  } catch (error) {
    throw new Error(`rules: arguments of ${name}: ${error instanceof Error ? error.message : 'cannot be compiled'}`);
  }
  return JSON.stringify(schema);
}

/** @param fits says whether the arguments of a call match the schema of a rule */
export function decide(rules: readonly Rule[], otherwise: Options['default'], fits: (rule: Rule) => boolean): Decision {
  const rule = rules.find((each) => each.schema === null || fits(each));
  return rule === undefined ? { action: otherwise, code: 'default' } : { action: rule.action, code: rule.name };
}

/** Decides on a definition. It has no arguments yet, so a rule that denies only some arguments is skipped. */
export function decideOffer(rules: readonly Rule[], otherwise: Options['default']): Decision {
  return decide(rules, otherwise, ({ action }) => action !== 'deny');
}

/** The rules that may decide on each call. */
export type Candidates = ReadonlyMap<MadeCall, readonly Rule[]>;
