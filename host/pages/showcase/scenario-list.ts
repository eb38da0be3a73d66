import { element } from '../shared/dom.ts';
import { icon } from '../shared/icon.ts';
import type { Offer } from './scenarios.ts';

/** The scenarios as buttons. A scenario that no route supports says how to configure one. */
export function scenarioList(offers: readonly Offer[], choose: (offer: Offer) => void): HTMLElement[] {
  return offers.map((offer) => element('li', {}, offer.route === null ? missing(offer) : offered(offer, choose)));
}

function offered(offer: Offer, choose: (offer: Offer) => void): HTMLElement {
  const { id } = offer.scenario;
  const button = element('button', { type: 'button', class: 'scenario', 'data-scenario': id }, ...face(offer));
  button.addEventListener('click', () => choose(offer));
  return button;
}

function missing(offer: Offer): HTMLElement {
  const { title, enable } = offer.scenario;
  return element(
    'details',
    { class: 'scenario missing' },
    element('summary', {}, ...face(offer)),
    element('p', { class: 'hint' }, 'No route on this server has this guard. Add this to the configuration:'),
    element('pre', { class: 'text mono', tabindex: '0', role: 'group', 'aria-label': `Configuration for: ${title}` }, enable),
  );
}

function face({ scenario, route }: Offer): Node[] {
  const { title, about } = scenario;
  const note = route === null ? 'Not configured' : about;
  return [icon(scenario.icon), element('span', {}, element('strong', {}, title), element('small', {}, note))];
}
