import type { PageSession } from './api-types.ts';
import { byId, element } from './dom.ts';

/** Session storage key: the issuer's sign-out address, kept until the next page load. */
const ENDED = 'svc.ended';

/** Session storage key: the address on the page that a sign-in began from. */
const PLACE = 'svc.place';

/** Messages for a failed sign-in, by the code in the address. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['SVC-AUTH-001', 'You were not signed in. Try again.'],
  ['SVC-AUTH-004', 'The sign-in service cannot be reached at the moment. Try again later, or use an API key.'],
]);

/** Reads `#sign-in=…` from an address: the message, and the address without it; null: absent. */
export function takeProblem(address: string): { readonly problem: string; readonly cleaned: string } | null {
  const url = new URL(address);
  const code = new URLSearchParams(url.hash.slice(1)).get('sign-in');
  if (code === null) return null;
  url.hash = '';
  const named = /^SVC-[A-Z]+-\d{3}$/.test(code) ? ` (${code})` : '';
  return { problem: PROBLEMS.get(code) ?? `The gateway could not sign you in${named}.`, cleaned: url.href };
}

export function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}

/** Offers each issuer beside the form for a key. */
export function offerIssuers({ issuers }: Pick<PageSession, 'issuers'>): void {
  if (issuers.length === 0) return;
  byId('issuers', HTMLElement).replaceChildren(...issuers.map(linkTo));
  byId('sign-in-about', HTMLElement).textContent =
    'Sign in with your account or with an API key. The key stays in this browser tab.';
  for (const id of ['issuers', 'or']) byId(id, HTMLElement).hidden = false;
  byId('sign-in-form', HTMLFormElement).querySelector('button')?.classList.remove('primary');
}

function linkTo(issuer: string): HTMLElement {
  const query = new URLSearchParams({ issuer, return: location.pathname });
  const link = element('a', { class: 'button primary', href: `/auth/login?${query}` }, `Sign in with ${hostOf(issuer)}`);
  link.addEventListener('click', () => sessionStorage.setItem(PLACE, location.pathname + location.search + location.hash));
  return link;
}

/** The gateway returns a person to the page; this returns them to the same place on it, such as a filter or a run. */
export function returnToPlace(): void {
  const place = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  const isHere = place !== null && new URL(place, location.origin).pathname === location.pathname;
  if (isHere && location.search === '' && location.hash === '') history.replaceState(null, '', place);
}

/** For {@link showSignedOut} of the next page. */
export function rememberSignedOut(end_session_url: string | null): void {
  if (end_session_url !== null && /^https?:/.test(end_session_url)) sessionStorage.setItem(ENDED, end_session_url);
}

/** The issuer would sign the person in again without asking, so this says how to sign out there. */
export function showSignedOut(): void {
  const url = sessionStorage.getItem(ENDED);
  if (url === null) return;
  sessionStorage.removeItem(ENDED);
  const place = byId('signed-out', HTMLElement);
  const link = element('a', { href: url, rel: 'noreferrer' }, `Sign out of ${hostOf(url)} too`);
  place.replaceChildren('You have signed out of the gateway. ', link);
  place.hidden = false;
}
