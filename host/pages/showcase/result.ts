import type { ChatCompletion, Run, RunEvent } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { byId, element, facts } from '../shared/dom.ts';
import { messageView } from '../shared/message-view.ts';
import { statusLabel } from '../shared/words.ts';
import { stepOf } from './step.ts';

/** Shows an answer of a model. */
export function showAnswer(completion: ChatCompletion): void {
  byId('answer', HTMLElement).replaceChildren(...completion.choices.map(({ message }) => messageView(message, 'Answer')));
}

/** Shows what stands in place of an answer. `waits`: a decision can still bring one. */
export function showInstead(sentence: string, waits: boolean): void {
  const notice = element('p', { class: `notice ${waits ? 'waits' : 'bad'}` }, sentence);
  // A tab opened by this one knows the key, and this one stays to show what comes of the decision.
  if (waits) notice.append(' ', element('a', { href: '/approvals', target: 'svc-approvals', rel: 'opener' }, 'Open approvals'));
  byId('answer', HTMLElement).replaceChildren(notice);
}

/** Shows where a run stands and how it came there. `evidence`: `<seq> <hash>`, null where it was not told. */
export function showRun({ run_id, status, events, config_digest }: Run, evidence: string | null): void {
  byId('result', HTMLElement).hidden = false;
  byId('result-status', HTMLElement).replaceChildren(badge(statusLabel(status)));
  byId('steps', HTMLElement).replaceChildren(...events.map(stepView));
  const [seq = '', hash = ''] = (evidence ?? '').split(' ');
  const ended = hasEnded(status);
  const proof: [string, Node | string][] =
    evidence === null
      ? [['Evidence', ended ? 'in the ledger, under the id of the run' : 'is written when the run ends']]
      : [
          ['Evidence', `record ${seq} of the ledger`],
          ['Its hash', element('code', {}, hash)],
        ];
  const ids = [
    ['Run', element('code', {}, run_id)],
    ['Configuration', element('code', {}, config_digest)],
  ] as const;
  byId('receipts', HTMLElement).replaceChildren(...facts([...proof, ...ids]));
}

export function hasEnded(status: Run['status']): boolean {
  return status !== 'pending' && status !== 'running' && status !== 'paused';
}

function stepView(event: RunEvent): HTMLElement {
  const { title, label, details } = stepOf(event);
  const notes = details.length === 0 ? [] : [element('small', {}, details.join(' · '))];
  return element('li', {}, element('span', {}, title), label === null ? '' : badge(label), ...notes);
}
