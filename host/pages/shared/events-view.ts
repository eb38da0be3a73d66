import { stepOf } from '../../src/trail/step.ts';
import type { RunEvent } from './api-types.ts';
import { badge } from './badge.ts';
import { element } from './dom.ts';
import { timeView } from './moment.ts';

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A run's history, folded. */
export function eventsView(events: readonly RunEvent[]): HTMLElement {
  const count = events.length === 1 ? '1 event' : `${events.length} events`;
  return element('details', {}, element('summary', {}, `Show ${count}`), stepsView(events));
}

/** @param reasons of the decisions, in order */
export function stepsView(events: readonly RunEvent[], reasons: readonly string[] = []): HTMLElement {
  const decisions = events.filter(({ event_type }) => event_type === 'decision');
  const steps = events.map((event) => stepView(event, reasons[decisions.indexOf(event)] ?? ''));
  return element('ol', { class: 'steps' }, ...steps);
}

function stepView(event: RunEvent, reason: string): HTMLElement {
  const { title, label, details } = stepOf(event);
  const parts = details.flatMap((detail, at) => [at === 0 ? '' : ' · ', TIME.test(detail) ? timeView(detail) : detail]);
  const notes = parts.length === 0 ? [] : [element('small', {}, ...parts)];
  const why = reason === '' ? [] : [element('p', { class: 'reason-given' }, reason)];
  return element('li', {}, element('span', {}, title), label === null ? '' : badge(label), ...why, ...notes);
}
