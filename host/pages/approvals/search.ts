import type { PendingRun, Route, StoredRun } from '../shared/api-types.ts';
import { pauseOf } from './run-facts.ts';

/** Of a longer request, only the beginning is searched. */
const MAX_CHARACTERS = 100_000;

/** The words of a search, in lower case. Empty: everything matches. */
export function termsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each term is in one of the texts, which are in lower case. */
export function matches(terms: readonly string[], texts: readonly string[]): boolean {
  return terms.every((term) => texts.some((text) => text.includes(term)));
}

/** The text on a run's card apart from its content, in lower case. */
export function factsText(run: StoredRun, route: Route | null): string {
  const { run_id, principal_id, session = '', client = '', user = '', approvers, events } = run;
  const { node = '', code = '' } = pauseOf(events) ?? {};
  const decided = events.flatMap(({ event_type, data }) => (event_type === 'decision' ? [data.principal_id ?? ''] : []));
  const ofRoute = [run.route, route?.owner ?? '', route?.risk_rating ?? ''];
  return [run_id, principal_id, session, client, user, ...approvers, node, code, ...decided, ...ofRoute].join('\n').toLowerCase();
}

/** The content of a pending run, in lower case. */
export function contentText({ messages, parameters, answer, decisions }: PendingRun): string {
  const texts: string[] = [];
  let left = MAX_CHARACTERS;
  const collect = (value: unknown): void => {
    if (left <= 0) return;
    if (typeof value === 'string') {
      texts.push(value.slice(0, left).toLowerCase());
      left -= value.length;
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect([decisions.map(({ reason }) => reason), answer, messages.toReversed(), parameters]);
  return texts.join('\n');
}
