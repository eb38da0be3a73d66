import { isObject } from '@svc/contracts';
import type { LintContext } from './lint-context.ts';
import { propertySchema } from './property-schema.ts';

/** Warns about lists that omit members of the default, such as what a guard looks for, if the option's schema has `warnOfDropped`. */
export function lintDropped({ report, nodes }: Pick<LintContext, 'report' | 'nodes'>): void {
  for (const { name, rawOptions, optionsSchema } of nodes.values()) {
    for (const [key, written] of Object.entries(rawOptions)) {
      const schema: unknown = isObject(optionsSchema) ? propertySchema(optionsSchema, key) : undefined;
      if (!isObject(schema) || schema.warnOfDropped !== true || !Array.isArray(schema.default) || !Array.isArray(written))
        continue;
      const dropped = schema.default.filter((item) => !written.includes(item));
      if (dropped.length === 0) continue;
      const message = `${key} replaces the default list and drops ${dropped.join(', ')}`;
      report.warning('SVC-POL-009', ['packs', name, key], message);
    }
  }
}
