import { type GuardDiagnostic, type LintedRoute, STAGES } from '@svc/sdk';

/** Errors in a route with a budget: a missing stage, or a model without a price. `pack` is its name in the configuration. */
export function routeFaults(
  { stages, endpoints }: LintedRoute,
  pack: string,
  canPrice: (model: string) => boolean,
): GuardDiagnostic[] {
  return [
    ...STAGES.filter((stage) => !stages.includes(stage)).map((missing): GuardDiagnostic => {
      return { code: 'SVC-POL-003', message: `it has to stand in both stages: add it to ${missing}` };
    }),
    ...[...endpoints.entries()].flatMap(([endpoint, { model }]): GuardDiagnostic[] => {
      const shown = model.slice(0, 100);
      const message = `there is no price for the model ${shown}: add it to packs.${pack}.prices, as { input, output } in USD per million tokens`;
      return canPrice(model) ? [] : [{ code: 'SVC-POL-010', endpoint, message }];
    }),
  ];
}
