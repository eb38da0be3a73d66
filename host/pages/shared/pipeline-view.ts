import { badge } from './badge.ts';
import { element } from './dom.ts';
import { icon } from './icon.ts';
import type { Stop } from './pipeline.ts';

/** What a stop looks at. */
const PLACES = { ingress: 'the question', execute: 'the model', egress: 'the answer' } as const;

/** The path of a message, stop by stop. */
export function pipelineView(stops: readonly Stop[]): HTMLElement {
  return element('ol', { class: 'pipeline', 'aria-label': 'Request pipeline' }, ...stops.map(stopView));
}

export function stopView(stop: Stop): HTMLElement {
  const { stage, name, kind, label, took_ms, note } = stop;
  const state = label === null ? 'ahead' : `reached ${label.tone}`;
  const took = label === null || took_ms === null ? [] : [element('span', { class: 'took' }, tookText(took_ms))];
  const outcome = label === null ? [] : [element('span', { class: 'outcome' }, badge(label), ...took)];
  const where = element('small', {}, PLACES[stage]);
  return element(
    'li',
    { class: `stop ${stage} ${state}` },
    element('span', { class: 'sign' }, icon(stage === 'execute' ? 'model' : 'shield')),
    element(
      'span',
      { class: 'what' },
      where,
      element('strong', {}, name),
      ...(kind === name ? [] : [element('small', {}, kind)]),
    ),
    ...outcome,
    ...(note === '' ? [] : [element('small', { class: 'note' }, note)]),
  );
}

/** The gateway tells whole milliseconds. */
function tookText(took_ms: number): string {
  return took_ms === 0 ? 'under 1 ms' : `${took_ms} ms`;
}
