import { isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import type { Path, PolicyCode } from './diagnostic.ts';
import type { Report } from './report.ts';

interface Rule {
  /** `*` matches any key. */
  readonly path: readonly string[];
  readonly code: PolicyCode;
  readonly message: string;
}

const NO_TOOL_STAGES = 'there is no stage for tool calls: put the pack in ingress and egress, which check them';

const RULES: readonly Rule[] = [
  { path: ['routes', '*', 'pipeline', 'tool_call'], code: 'SVC-POL-004', message: NO_TOOL_STAGES },
  { path: ['routes', '*', 'pipeline', 'tool_result'], code: 'SVC-POL-004', message: NO_TOOL_STAGES },
];

/** The value without known keys that this release does not support. Each of them is reported as an error. */
export function dropNotServed(value: JsonObject, report: Report): JsonObject {
  const drop = (object: JsonObject, rules: readonly Rule[], path: Path): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, child]): [string, JsonValue][] => {
        const here = [...path, key];
        const matching = rules.filter((rule) => rule.path[path.length] === '*' || rule.path[path.length] === key);
        const ending = matching.find((rule) => rule.path.length === here.length);
        if (ending !== undefined) {
          report.error(ending.code, here, ending.message, { at: 'key' });
          return [];
        }
        return [[key, matching.length > 0 && isObject(child) ? drop(child, matching, here) : child]];
      }),
    );
  return drop(value, RULES, []);
}
