import type { Route } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { byId, element, facts, showProblem } from '../shared/dom.ts';
import { stopsOf } from '../shared/pipeline.ts';
import { quotaText } from '../shared/quota.ts';
import type { Session } from '../shared/session.ts';
import { riskLabel } from '../shared/words.ts';
import { LedgerView } from './ledger/ledger-view.ts';
import { pipelineView } from './pipeline-view.ts';
import { Player } from './player.ts';
import { scenarioList } from './scenario-list.ts';
import { type Offer, offersOf, type Scenario } from './scenarios.ts';

/** The visitor chooses a message and a route; the page shows the outcome. */
export function showShowcase(session: Session): void {
  const select = byId('route', HTMLSelectElement);
  const message = byId('message', HTMLTextAreaElement);
  const streamed = byId('streamed', HTMLInputElement);
  const ledger = new LedgerView(session);
  const player = new Player(session, ledger);
  select.append(...session.routes.map(({ name }) => element('option', { value: name }, name)));
  showRoute(session.route(select.value));
  void ledger.begin();

  let playing = false;
  select.addEventListener('change', () => {
    // A message in flight is shown to its end.
    if (playing) return;
    player.leave();
    showRoute(session.route(select.value));
  });
  const play = async (how: Scenario['play']): Promise<void> => {
    const route = session.route(select.value);
    if (playing || route === null || message.value.trim() === '') return;
    playing = true;
    setBusy(true);
    showRoute(route);
    showStage();
    await player.play(route, message.value, how);
    showQuota(session);
    setBusy(false);
    playing = false;
  };
  const choose = ({ scenario, route }: Offer): void => {
    if (route === null || playing) return;
    for (const button of document.querySelectorAll('[data-scenario]')) button.removeAttribute('aria-current');
    document.querySelector(`[data-scenario=${scenario.id}]`)?.setAttribute('aria-current', 'true');
    select.value = route.name;
    message.value = scenario.message;
    streamed.checked = scenario.play === 'streamed';
    void play(scenario.play);
  };
  byId('scenarios', HTMLElement).append(...scenarioList(offersOf(session.routes), choose));
  forbidSending(obstacleOf(session));
  byId('ask', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void play(streamed.checked ? 'streamed' : 'once');
  });
  message.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('ask', HTMLFormElement).requestSubmit();
  });
}

/** Why the visitor cannot send messages; null if they can. */
function obstacleOf(session: Session): string | null {
  if (!session.may('call')) return 'You cannot send messages: your account does not have the role call.';
  return session.routes.length === 0 ? 'You cannot send messages: you have no access to any route.' : null;
}

/** Explains this above the scenarios and beside the button. The routes can still be viewed. */
function forbidSending(obstacle: string | null): void {
  if (obstacle === null) return;
  showProblem(byId('no-sending', HTMLElement), obstacle);
  byId('send-hint', HTMLElement).hidden = false;
  const controls = document.querySelectorAll<HTMLButtonElement>('#message, #streamed, #send, [data-scenario]');
  for (const control of controls) {
    control.disabled = true;
    control.setAttribute('aria-describedby', 'no-sending');
  }
}

function showRoute(route: Route | null): void {
  if (route === null) return;
  const { owner, risk_rating, residency, approvers, fallbacks, streams } = route;
  const known: (readonly [string, Node | string])[] = [['Route', route.name]];
  if (owner !== null) known.push(['Owner', owner]);
  if (risk_rating !== null) known.push(['Risk', badge(riskLabel(risk_rating), 'gauge')]);
  if (residency.length > 0) known.push(['Residency', residency.join(', ')]);
  if (fallbacks.length > 0) known.push(['Else', fallbacks.map(({ name, model }) => `${model} at ${name}`).join(', ')]);
  known.push(['Approvers', approvers.length === 0 ? 'anyone with the role approve' : approvers.join(', ')]);
  known.push(['Streaming', streams === 'as-it-comes' ? 'live' : 'checked first, then sent']);
  byId('route-facts', HTMLElement).replaceChildren(...facts(known));
  byId('pipeline', HTMLElement).replaceChildren(pipelineView(stopsOf(route, [])));
  for (const id of ['status', 'panes', 'desk', 'rounds', 'history', 'progress']) byId(id, HTMLElement).replaceChildren();
  showProblem(byId('problem', HTMLElement), null);
}

/** On a narrow screen the result is below the button. */
function showStage(): void {
  const stage = byId('stage', HTMLElement);
  if (stage.getBoundingClientRect().top < innerHeight / 2) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  stage.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'start' });
}

/** Not `disabled`, which would take the focus away. */
function setBusy(busy: boolean): void {
  byId('send', HTMLButtonElement).setAttribute('aria-disabled', String(busy));
  byId('stage', HTMLElement).setAttribute('aria-busy', String(busy));
}

/** The visitor's remaining quota. */
function showQuota({ api: { quota } }: Session): void {
  const place = byId('quota', HTMLElement);
  place.hidden = quota === null;
  if (quota !== null) place.textContent = quotaText(quota);
}
