import type { PendingRun, StoredRun } from '../shared/api-types.ts';
import { element, facts } from '../shared/dom.ts';
import { messageView } from '../shared/message-view.ts';
import { moment } from '../shared/moment.ts';

/** Earlier messages than these are folded away. */
const LAST_MESSAGES = 2;

/** What the list of runs tells. `since`: when the run was paused. */
export function runFacts({ principal_id, route, approvers }: StoredRun, since: string): HTMLElement[] {
  return facts([
    ['Asked by', principal_id],
    ['Route', route],
    ['Waiting since', moment(since)],
    ['May decide', approvers.length === 0 ? 'anyone with the role approve' : approvers.join(', ')],
  ]);
}

/** What is decided on: the messages as edited so far, and the held answer. */
export function pendingView({ messages, parameters, answer, digest, run_id }: PendingRun): HTMLElement[] {
  const held = (answer?.choices ?? []).map(({ message }, index, all) =>
    messageView(message, all.length === 1 ? message.role : `${message.role}, ${index + 1} of ${all.length}`),
  );
  const earlier = messages.slice(0, -LAST_MESSAGES).map((message) => messageView(message));
  const latest = messages.slice(-LAST_MESSAGES).map((message) => messageView(message));
  return [
    element('h3', {}, 'What was asked, with the edits of the guards'),
    ...(earlier.length === 0 ? [] : [fold(earlier)]),
    ...latest,
    ...(Object.keys(parameters).length === 0 ? [] : [parametersView(parameters)]),
    ...(held.length === 0 ? [] : [element('h3', {}, 'The answer that is held back'), ...held]),
    element('p', { class: 'ids' }, 'Run ', element('code', {}, run_id), ' · content ', element('code', {}, digest)),
  ];
}

/** Tools, formats and the like: part of what is decided on, but seldom what it is about. */
function parametersView(parameters: PendingRun['parameters']): HTMLElement {
  const text = element(
    'pre',
    { class: 'text mono', tabindex: '0', role: 'group', 'aria-label': 'parameters' },
    JSON.stringify(parameters, null, 2),
  );
  return element('details', {}, element('summary', {}, `Also asked for: ${Object.keys(parameters).join(', ')}`), text);
}

function fold(messages: readonly HTMLElement[]): HTMLElement {
  const count = messages.length === 1 ? '1 earlier message' : `${messages.length} earlier messages`;
  return element('details', {}, element('summary', {}, count), ...messages);
}
