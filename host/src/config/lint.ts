import { askGuards } from './ask-guard.ts';
import { lintApprovers } from './lint-approvers.ts';
import type { LintContext } from './lint-context.ts';
import { lintFitness } from './lint-fitness.ts';
import { lintPrices } from './lint-prices.ts';
import { lintEndpoints, lintReferences } from './lint-references.ts';
import { lintResidency } from './lint-residency.ts';
import { lintReview } from './lint-review.ts';
import { lintBothStages, lintOfferedStages, lintOrder, lintScope } from './lint-stages.ts';

/** Reports mismatches between a route and the rest of the file. */
export function lintRoutes(context: LintContext): void {
  for (const [name, route] of context.routes.repaired) {
    const path = ['routes', name];
    const answers = askGuards(name, route, context);
    lintEndpoints(name, route, path, context);
    lintReferences(route, path, context);
    lintApprovers(name, route, context);
    lintBothStages(route, path, context, answers);
    lintOfferedStages(route, path, context);
    lintOrder(route, path, context);
    lintScope(route, path, context);
    lintResidency(route, path, context, answers);
    lintFitness(route, path, context, answers);
    lintPrices(route, path, context);
    lintReview(route, path, context);
  }
}
