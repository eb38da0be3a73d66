import type { Route, RouteNode } from '../shared/api-types.ts';
import { element, facts } from '../shared/dom.ts';
import { stageText } from '../shared/words.ts';

export function routeFacts({ owner, risk_rating, residency, approvers }: Route): HTMLElement[] {
  const entries: [string, string][] = [
    ['Approvers', approvers.length === 0 ? 'anyone with the role approve' : approvers.join(', ')],
  ];
  if (residency.length > 0) entries.unshift(['Data stays in', residency.join(', ')]);
  if (risk_rating !== null) entries.unshift(['Risk', risk_rating]);
  if (owner !== null) entries.unshift(['Owner', owner]);
  return facts(entries);
}

/** The way of a message: guards, the model, guards. */
export function pipelineView({ provider, pipeline }: Route): HTMLElement {
  const model = element(
    'li',
    { class: 'model' },
    element('small', {}, 'the model'),
    element('strong', {}, provider.model),
    element('small', {}, provider.region === null ? provider.name : `${provider.name}, region ${provider.region}`),
  );
  const steps = [...stageView('ingress', pipeline.ingress), model, ...stageView('egress', pipeline.egress)];
  return element('ol', { class: 'pipeline', 'aria-label': 'The way of a message' }, ...steps);
}

function stageView(stage: 'ingress' | 'egress', nodes: readonly RouteNode[]): HTMLElement[] {
  const place = element('small', {}, stageText(stage));
  if (nodes.length === 0) return [element('li', { class: 'none' }, place, 'no guard')];
  return nodes.map(({ name, type, version, mode }) => {
    const kind = name === type ? `version ${version}` : `${type} ${version}`;
    const what = element('small', {}, mode === 'observe' ? `${kind}, only observes` : kind);
    return element('li', {}, place.cloneNode(true), element('strong', {}, name), what);
  });
}
