import type { Api } from '../shared/api.ts';
import { ApiError, problemText } from '../shared/api-error.ts';
import type { Run, RunResponse, SentRequest } from '../shared/api-types.ts';
import { element } from '../shared/dom.ts';
import { messageView } from '../shared/message-view.ts';
import { speakerOf, turnsOf } from '../shared/turns.ts';

/** What was sent to the model, and its answer, if they are stored and the visitor may read them. */
export async function contentView(api: Api, run: Run, mayDecide: boolean): Promise<HTMLElement[]> {
  if (['pending', 'running', 'paused'].includes(run.status)) return [unfinished(run, mayDecide)];
  try {
    const [sent, response] = await Promise.all([api.sent(run.run_id), api.response(run.run_id)]);
    return [element('h3', {}, 'Sent to the model'), ...sentView(sent, run), element('h3', {}, 'Answer'), ...answerView(response)];
  } catch (error) {
    return [element('p', { class: 'muted' }, refusal(error))];
  }
}

function unfinished({ run_id, status }: Run, mayDecide: boolean): HTMLElement {
  if (status !== 'paused' || !mayDecide)
    return element('p', { class: 'muted' }, 'Its creator and its approvers can see the content once the run has ended.');
  const link = element('a', { href: `/approvals#run=${run_id}` }, 'Show the content awaiting approval');
  return element('p', {}, link, '.');
}

function refusal(error: unknown): string {
  const isForbidden = error instanceof ApiError && error.status === 403;
  return isForbidden ? 'You cannot see the content of this run: only its creator and its approvers can.' : problemText(error);
}

function sentView({ messages, gone_run_id, parameters }: SentRequest, { events }: Run): HTMLElement[] {
  if (messages !== null) {
    const names = Object.keys(parameters);
    const more = names.length === 0 ? [] : [element('p', { class: 'hint' }, `Other parameters: ${names.join(', ')}.`)];
    return [...messages.map((message) => messageView(message)), ...more];
  }
  const wasCalled = events.some(({ event_type, data }) => event_type === 'provider_call' && data.outcome !== 'skipped');
  const why = !wasCalled
    ? 'No model was called.'
    : gone_run_id !== null
      ? `It continues run ${gone_run_id}, whose content is no longer stored.`
      : 'Not stored. The client can send x-svc-keep: request, or the server can record content.';
  return [element('p', { class: 'muted' }, why)];
}

function answerView({ completion }: RunResponse): HTMLElement[] {
  const turns = turnsOf(completion);
  if (turns.length === 0) return [element('p', { class: 'muted' }, 'No answer is stored.')];
  return turns.map((turn) => messageView(turn, speakerOf(turn)));
}
