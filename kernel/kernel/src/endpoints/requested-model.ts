/** The route for a run that asks for this model. Endpoints that do not fix a model get it, with its price. */
export function withRequestedModel<
  E extends { readonly forModel?: (model: string) => E },
  R extends { readonly endpoints: readonly E[] },
>(route: R, model: string): R {
  if (route.endpoints.every(({ forModel }) => forModel === undefined)) return route;
  return { ...route, endpoints: route.endpoints.map((each) => each.forModel?.(model) ?? each) };
}
