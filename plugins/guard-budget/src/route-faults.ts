import { type Endpoint, type GuardDiagnostic, type LintedRoute, STAGES } from '@svc/sdk/guard';

/** Errors in a route with a budget: a missing stage, or a model without a price. `pack`: the budget's name in the configuration. */
export function routeFaults(
  { stages, endpoints }: LintedRoute,
  pack: string,
  canPrice: (endpoint: Endpoint) => boolean,
): GuardDiagnostic[] {
  return [
    ...STAGES.filter((stage) => !stages.includes(stage)).map((missing): GuardDiagnostic => {
      return { code: 'SVC-POL-003', message: `this guard must be in both stages: add it to ${missing}` };
    }),
    ...[...endpoints.entries()].flatMap(([endpoint, named]): GuardDiagnostic[] => {
      const message = `no price for the model ${named.model.slice(0, 100)}: add { input, output } in USD per million tokens to packs.${pack}.prices or prices.models, or set unpriced: allow in this pack`;
      // On a route for many models, only runs whose model has no price are blocked.
      return named.model.endsWith('*') || canPrice(named) ? [] : [{ code: 'SVC-POL-010', endpoint, message }];
    }),
  ];
}
