import { SvcError } from '@svc/contracts';
import type { ServedRoute } from './find-route.ts';

/** Query parameters of Anthropic's list. */
export interface ModelPage {
  readonly limit?: number;
  readonly after_id?: string;
  readonly before_id?: string;
}

const DEFAULT_LIMIT = 20;

/** A route as a model of Anthropic's API. @param started_at seconds since the epoch */
export function anthropicModel({ attributes, capabilities }: ServedRoute, started_at: number) {
  return {
    type: 'model' as const,
    id: attributes.name,
    display_name: attributes.name,
    created_at: new Date(started_at * 1000).toISOString(),
    // Null: not known.
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active' as const,
    line: null,
    max_input_tokens: capabilities(attributes.name).context_length,
    max_tokens: null,
    retires_at: null,
  };
}

/** A page of Anthropic's list. @throws {SvcError} SVC-REQ-001 for an id that is not in the list */
export function anthropicList(routes: readonly ServedRoute[], page: ModelPage, started_at: number) {
  const { limit = DEFAULT_LIMIT, after_id, before_id } = page;
  const from = after_id === undefined ? 0 : placeOf(routes, after_id, 'after_id') + 1;
  const to = before_id === undefined ? routes.length : placeOf(routes, before_id, 'before_id');
  const asked = routes.slice(from, to);
  const isBackwards = before_id !== undefined && after_id === undefined;
  const data = (isBackwards ? asked.slice(-limit) : asked.slice(0, limit)).map((route) => anthropicModel(route, started_at));
  return { data, has_more: asked.length > data.length, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function placeOf(routes: readonly ServedRoute[], id: string, param: string): number {
  const place = routes.findIndex(({ attributes }) => attributes.name === id);
  if (place < 0) throw new SvcError('SVC-REQ-001', `querystring/${param} must be the id of a model from this list`, { param });
  return place;
}
