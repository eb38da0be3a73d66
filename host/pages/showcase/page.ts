import type { Api } from '../shared/api.ts';
import { problemText } from '../shared/api-error.ts';
import type { Route } from '../shared/api-types.ts';
import { byId, element, showProblem } from '../shared/dom.ts';
import { Asking } from './asking.ts';
import { examplesFor } from './examples.ts';
import { pipelineView, routeFacts } from './route-view.ts';

/** Lets the visitor choose a route and send messages through it. */
export async function showShowcase(api: Api): Promise<void> {
  const select = byId('route', HTMLSelectElement);
  const message = byId('message', HTMLTextAreaElement);
  const problem = byId('problem', HTMLElement);
  const routes = await api.routes().catch((error: unknown) => {
    showProblem(problem, problemText(error));
    return [];
  });
  const chosen = (): Route | undefined => routes.find(({ name }) => name === select.value);
  select.append(...routes.map(({ name }) => element('option', { value: name }, name)));
  select.addEventListener('change', () => showRoute(chosen(), message));
  showRoute(chosen(), message);
  wireForm(new Asking(api), chosen, message);
}

function showRoute(route: Route | undefined, message: HTMLTextAreaElement): void {
  if (route === undefined) return;
  byId('route-facts', HTMLElement).replaceChildren(...routeFacts(route));
  byId('pipeline', HTMLElement).replaceChildren(pipelineView(route));
  const buttons = examplesFor(route).map(({ label, message: text }) => {
    const button = element('button', { type: 'button', class: 'quiet' }, label);
    button.addEventListener('click', () => {
      message.value = text;
      message.focus();
    });
    return button;
  });
  const examples = byId('examples', HTMLElement);
  examples.hidden = buttons.length === 0;
  examples.replaceChildren(element('legend', {}, 'Examples'), ...buttons);
}

function wireForm(asking: Asking, chosen: () => Route | undefined, message: HTMLTextAreaElement): void {
  const form = byId('ask', HTMLFormElement);
  const send = byId('send', HTMLButtonElement);
  let sending = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const route = chosen();
    if (sending || route === undefined) return;
    sending = true;
    // Not `disabled`, which would take the focus away.
    send.setAttribute('aria-disabled', 'true');
    await asking.ask(route.name, message.value);
    send.removeAttribute('aria-disabled');
    sending = false;
  });
  message.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
