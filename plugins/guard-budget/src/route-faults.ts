import { type Endpoint, type GuardDiagnostic, type LintedRoute, STAGES } from '@svc/sdk/guard';

/** Errors in a route with a budget: a missing stage, or a model without a price. `pack` is its name in the configuration. */
export function routeFaults(
  { stages, endpoints }: LintedRoute,
  pack: string,
  canPrice: (endpoint: Endpoint) => boolean,
): GuardDiagnostic[] {
  return [
    ...STAGES.filter((stage) => !stages.includes(stage)).map((missing): GuardDiagnostic => {
      return { code: 'SVC-POL-003', message: `it has to stand in both stages: add it to ${missing}` };
    }),
    ...[...endpoints.entries()].flatMap(([endpoint, named]): GuardDiagnostic[] => {
      const message = `no price for the model ${named.model.slice(0, 100)}: add it to packs.${pack}.prices or prices.models as { input, output } in USD per million tokens, or set its unpriced: allow`;
      // Of a route for many models, a run is blocked whose model has no price.
      return named.model.endsWith('*') || canPrice(named) ? [] : [{ code: 'SVC-POL-010', endpoint, message }];
    }),
  ];
}
