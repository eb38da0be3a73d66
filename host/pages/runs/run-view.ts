import { statusLabel } from '../../src/trail/words.ts';
import { ApiError, problemText } from '../shared/api-error.ts';
import type { Run } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { byId, element } from '../shared/dom.ts';
import { stepsView } from '../shared/events-view.ts';
import { visible } from '../shared/message-blocks.ts';
import type { Session } from '../shared/session.ts';
import { contentView } from './content-view.ts';
import { addressOf, type Place } from './filters.ts';
import { proveRun } from './proof.ts';
import { proofView } from './proof-view.ts';
import { runFacts } from './run-facts.ts';

/**
 * Shows one run: its facts at once, and its reasons, content and proof when they have been read.
 * @param takesFocus whether the visitor came from elsewhere on the page
 */
export async function showRun(session: Session, { run_id, filters }: Place, takesFocus: boolean): Promise<void> {
  const place = byId('one', HTMLElement);
  const title = element('h1', { id: 'one-title', tabindex: '-1' }, 'Run');
  const back = element(
    'a',
    { href: addressOf({ run_id: null, filters }), class: 'back' },
    Object.keys(filters).length === 0 ? 'All runs' : 'Runs with these filters',
  );
  const body = element('div', {}, element('p', { class: 'muted', role: 'status' }, 'Loading…'));
  place.replaceChildren(back, title, body);
  document.title = 'Run – svc';
  if (takesFocus) title.focus();
  try {
    const run = await session.api.run(run_id ?? '');
    if (!body.isConnected) return;
    title.append(' of ', run.route, ' ', badge(statusLabel(run.status)));
    body.replaceChildren(...parts(session, run));
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.status === 404;
    const text = isUnknown ? 'There is no run with this id.' : problemText(error);
    body.replaceChildren(element('p', { class: 'notice bad', role: 'alert' }, text));
  }
}

function parts(session: Session, run: Run): HTMLElement[] {
  const { api } = session;
  const trail = element('div', {}, stepsView(run.events));
  const content = filled(contentView(api, run, session.may('approve')), 'Loading…');
  const proof = filled(
    proveRun(api, run).then((proven) => proofView(run.run_id, proven)),
    'Verifying…',
  );
  if (run.events.some(({ event_type }) => event_type === 'decision')) void addReasons(trail, session, run);
  const hidden = element(
    'p',
    { class: 'muted' },
    'You cannot see the history of this run: only its creator, its approvers and auditors can.',
  );
  return [
    element(
      'div',
      { class: 'run-page' },
      element(
        'div',
        {},
        card('trail', 'What happened', run.events.length === 0 ? hidden : trail),
        card('content', 'Content', content),
      ),
      element(
        'div',
        {},
        card('facts', 'About', element('dl', { class: 'facts rows' }, ...runFacts(run))),
        card('evidence', 'Evidence', proof),
      ),
    ),
  ];
}

function card(id: string, title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return element('section', { class: 'card', 'aria-labelledby': id }, element('h2', { id }, title), ...content);
}

/** An element that is filled later, and shows a text until then. */
function filled(content: Promise<readonly HTMLElement[]>, waiting: string): HTMLElement {
  const place = element('div', { role: 'status' }, element('p', { class: 'muted' }, waiting));
  content
    .catch((error: unknown) => [element('p', { class: 'notice bad' }, problemText(error))])
    .then((parts) => place.replaceChildren(...parts));
  return place;
}

/** People who may not read the reasons see the decisions without them. */
async function addReasons(trail: HTMLElement, { api }: Session, run: Run): Promise<void> {
  try {
    const { decisions } = await api.decisions(run.run_id);
    const reasons = decisions.map(({ reason }) => (reason === null ? '' : `Reason: ${visible(reason)}`));
    trail.replaceChildren(stepsView(run.events, reasons));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return;
    trail.append(element('p', { class: 'notice bad', role: 'alert' }, `The reasons cannot be shown. ${problemText(error)}`));
  }
}
