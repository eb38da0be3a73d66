import { badge } from '../shared/badge.ts';
import { element } from '../shared/dom.ts';
import { icon } from '../shared/icon.ts';
import type { Stop } from '../shared/pipeline.ts';

/** What a step checks. */
const PLACES = { ingress: 'request', execute: 'model', egress: 'answer' } as const;

/** The pipeline, step by step. */
export function pipelineView(stops: readonly Stop[]): HTMLElement {
  return element('ol', { class: 'pipeline', 'aria-label': 'Request pipeline' }, ...stops.map(stopView));
}

export function stopView(stop: Stop): HTMLElement {
  const { stage, name, kind, label, took_ms, note } = stop;
  const state = label === null ? 'ahead' : `reached ${label.tone}`;
  const notes = [took_ms === null ? '' : tookText(took_ms), note].filter((text) => text !== '');
  const outcome =
    label === null
      ? []
      : [element('span', { class: 'outcome' }, badge(label)), element('small', { class: 'note' }, notes.join(' · '))];
  const where = kind === name ? PLACES[stage] : `${PLACES[stage]} · ${kind}`;
  return element(
    'li',
    { class: `stop ${stage} ${state}` },
    element('span', { class: 'sign' }, icon(stage === 'execute' ? 'model' : 'shield')),
    element('span', { class: 'what' }, element('strong', {}, name), element('small', {}, where)),
    ...outcome,
  );
}

/** The gateway reports whole milliseconds. */
function tookText(took_ms: number): string {
  return took_ms === 0 ? 'under 1 ms' : `${took_ms} ms`;
}
