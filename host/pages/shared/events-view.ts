import { stepOf } from '../../src/trail/step.ts';
import type { RunEvent } from './api-types.ts';
import { badge } from './badge.ts';
import { element } from './dom.ts';

/** A run's history, folded. */
export function eventsView(events: readonly RunEvent[]): HTMLElement {
  const count = events.length === 1 ? '1 event' : `${events.length} events`;
  const steps = element('ol', { class: 'steps' }, ...events.map(stepView));
  return element('details', {}, element('summary', {}, `Show ${count}`), steps);
}

function stepView(event: RunEvent): HTMLElement {
  const { title, label, details } = stepOf(event);
  const notes = details.length === 0 ? [] : [element('small', {}, details.join(' · '))];
  return element('li', {}, element('span', {}, title), label === null ? '' : badge(label), ...notes);
}
