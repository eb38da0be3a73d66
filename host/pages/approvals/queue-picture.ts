import type { StoredRun } from '../shared/api-types.ts';
import { element } from '../shared/dom.ts';
import { timeAgo } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { riskLabel } from '../shared/words.ts';

/** Keeps requests of the same moment from being drawn at both ends. */
const MIN_SPAN_MS = 10_000;

/** Draws the age of pending requests: the oldest on the left, now on the right, coloured by the route's risk. Hidden for fewer than two. */
export function showQueue(place: HTMLElement, runs: readonly StoredRun[], session: Session): void {
  place.hidden = runs.length < 2;
  if (place.hidden) return;
  const now = Date.now();
  const ages = runs.map(({ created_at }) => Math.max(now - Date.parse(created_at), 0));
  const longest = Math.max(...ages);
  const span = Math.max(longest, MIN_SPAN_MS);
  const dots = runs.map((run, index) => {
    const risk = session.route(run.route)?.risk_rating ?? null;
    const dot = element('span', { class: `dot ${risk === null ? 'plain' : riskLabel(risk).tone}` });
    dot.style.left = `${(100 * (1 - (ages[index] ?? 0) / span)).toFixed(2)}%`;
    return dot;
  });
  const oldest = `Oldest: ${timeAgo(new Date(now - longest).toISOString(), now)}`;
  const axis = element('div', { class: 'axis', 'aria-hidden': 'true' }, ...dots);
  place.replaceChildren(axis, element('figcaption', {}, element('span', {}, oldest), element('span', {}, 'now')));
}
