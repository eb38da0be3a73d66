import { costOfRun, costText } from '../../src/trail/cost.ts';
import type { Run } from '../shared/api-types.ts';
import { element, facts } from '../shared/dom.ts';
import { timeView } from '../shared/moment.ts';
import { addressOf, type Filters } from './filters.ts';
import { startOf } from './run-start.ts';

const count = new Intl.NumberFormat('en');

/** Who asked for what, when, and what it cost. */
export function runFacts({
  run_id,
  route,
  principal_id,
  approvers,
  events,
  session,
  client,
  user,
  config_digest,
}: Run): HTMLElement[] {
  const started = startOf(run_id);
  const cost = costOfRun(events);
  const known: (readonly [string, Node | string])[] = [
    ['Route', link({ route }, route)],
    ['Requested by', principal_id === '' ? 'a principal that you may not see' : link({ principal: principal_id }, principal_id)],
  ];
  if (session !== undefined) known.push(['Session', link({ session, principal: principal_id }, session)]);
  if (client !== undefined) known.push(['Client', client]);
  if (user !== undefined) known.push(['User', element('code', {}, user)]);
  if (approvers.length > 0) known.push(['Approvers', approvers.join(', ')]);
  if (started !== null) known.push(['Started', timeView(started)]);
  if (cost.calls > 0) known.push(['Tokens', `${count.format(cost.input_tokens)} in, ${count.format(cost.output_tokens)} out`]);
  if (principal_id !== '') known.push(['Cost', costText(cost)]);
  known.push(['Run', element('code', {}, run_id)], ['Configuration', element('code', {}, config_digest)]);
  return facts(known);
}

/** A link to all runs with the same value. */
function link(filters: Filters, text: string): HTMLElement {
  return element('a', { href: addressOf({ run_id: null, filters }) }, text);
}
