import type { Static } from 'typebox';
import { lintReferences } from './lint-references.ts';
import { lintResidency } from './lint-residency.ts';
import { lintBudgets, lintOfferedStages, lintOrder } from './lint-stages.ts';
import type { Report } from './report.ts';
import type { PackNode } from './resolved.ts';
import type { Pack, ProviderSchema, Route } from './schema.ts';
import type { Section } from './sections.ts';

export interface LintContext {
  readonly report: Report;
  readonly providers: Section<Static<typeof ProviderSchema>>;
  readonly packs: Section<Pack>;
  readonly routes: Section<Route>;
  /** The packs whose guard could be made. */
  readonly nodes: ReadonlyMap<string, PackNode>;
  /** Who has a key. */
  readonly principals: readonly string[];
}

/** Reports what is wrong between a route and the rest of the file. */
export function lintRoutes(context: LintContext): void {
  for (const [name, route] of context.routes.mended) {
    const path = ['routes', name];
    lintReferences(route, path, context);
    lintBudgets(route, path, context);
    lintOfferedStages(route, path, context);
    lintOrder(route, path, context);
    lintResidency(route, path, context);
  }
}
