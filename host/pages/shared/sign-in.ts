import { Api, type Credential } from './api.ts';
import { ApiError, problemText } from './api-error.ts';
import type { PageSession } from './api-types.ts';
import { byId, element, say, showProblem } from './dom.ts';
import { icon } from './icon.ts';
import { hostOf, offerIssuers, rememberSignedOut, returnToPlace, showSignedOut, takeProblem } from './issuers.ts';
import { wantsOtherKey } from './other-key.ts';
import { Session } from './session.ts';
import { isKey, takeKey } from './session-key.ts';

const STORED = 'svc.key';
const MALFORMED = 'The link does not contain a valid key.';

/** Messages for an unhealthy gateway, by its status. */
const PROBLEMS: Readonly<Record<string, string>> = {
  unavailable: 'The gateway cannot write evidence at the moment and rejects requests.',
  stopping: 'The gateway is shutting down.',
};

/**
 * Signs the visitor in, then shows and starts the page. Tries, in order: the key of this tab, the session of an
 * issuer, the key in the address, no key (a gateway without authentication), and the form. If the gateway later
 * rejects the key or session, the form returns.
 */
export async function signIn(start: (session: Session) => void): Promise<void> {
  markCurrentPage();
  const { key: offered, malformed } = keyFromAddress();
  const failed = problemFromAddress();
  returnToPlace();
  wireForm();
  showSignedOut();
  try {
    const session = await new Api(null, () => {}).session();
    offerIssuers(session);
    const credential = credentialOf(offered, session);
    const isBySession = credential !== null && 'csrf' in credential;
    void changeKey(offered, credential !== null);
    // A link with a key may be opened in a tab that already shows the page.
    addEventListener('hashchange', () => void changeKey(keyFromAddress().key, credential !== null));
    wireSignOut(credential, session);
    const api = new Api(credential, () => {
      if (credential === null) return;
      sessionStorage.removeItem(STORED);
      showForm(isBySession ? '' : 'Unknown API key.', isBySession ? 'Your session has ended. Sign in again.' : null);
    });
    if (isBySession && session.caller !== null) showPrincipal(session.caller.principal_id, hostOf(session.caller.issuer));
    await begin(api, start, credential === null ? () => showForm(malformed ? MALFORMED : '', failed) : () => undefined);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SVC-AUTH-002') return showOnly('no-access');
    say(byId('connecting', HTMLElement), `${problemText(error)} Reload the page to try again.`);
  }
}

async function begin(api: Api, start: (session: Session) => void, onUnknown: () => void): Promise<void> {
  try {
    const { status } = await api.health();
    const session = await Session.begin(api);
    showOnly('app');
    showPrincipal(session.principal_id);
    say(byId('gateway-problem', HTMLElement), PROBLEMS[status] ?? '');
    start(session);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    onUnknown();
  }
}

/**
 * The key of this tab takes precedence over a session. A key in the address is used without asking only if nobody is
 * signed in.
 */
function credentialOf(offered: string | null, { csrf }: PageSession): Credential | null {
  if (offered !== null && csrf === null && sessionStorage.getItem(STORED) === null) sessionStorage.setItem(STORED, offered);
  const key = sessionStorage.getItem(STORED);
  if (key !== null) return { key };
  return csrf === null ? null : { csrf };
}

function problemFromAddress(): string | null {
  const taken = takeProblem(location.href);
  if (taken !== null) history.replaceState(null, '', taken.cleaned);
  return taken?.problem ?? null;
}

/** Removes a key from the address, so that it does not end up in the history or a screenshot. */
function keyFromAddress(): { key: string | null; malformed: boolean } {
  const { key, cleaned } = takeKey(location.href);
  if (cleaned !== null) history.replaceState(null, '', cleaned);
  return { key, malformed: cleaned !== null && key === null };
}

/** Signs in again with the key of a link. If someone is signed in, asks first. */
async function changeKey(offered: string | null, isSignedIn: boolean): Promise<void> {
  const key = sessionStorage.getItem(STORED);
  if (offered === null || offered === key) return;
  if ((isSignedIn || key !== null) && !(await wantsOtherKey())) return;
  sessionStorage.setItem(STORED, offered);
  location.reload();
}

function wireForm(): void {
  const input = byId('key', HTMLInputElement);
  byId('sign-in-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    const key = input.value.trim();
    if (!isKey(key)) return showForm('A key is “svc-” followed by 64 hexadecimal characters.', null);
    try {
      await new Api({ key }, () => {}).health();
    } catch (error) {
      const unknown = error instanceof ApiError && error.status === 401;
      return showForm(unknown ? 'Unknown API key.' : problemText(error), null);
    }
    sessionStorage.setItem(STORED, key);
    location.reload();
  });
}

function wireSignOut(credential: Credential | null, { csrf }: PageSession): void {
  const button = byId('sign-out', HTMLButtonElement);
  button.hidden = credential === null;
  // A page load clears everything that this page showed.
  button.addEventListener('click', async () => {
    sessionStorage.removeItem(STORED);
    try {
      if (csrf !== null) rememberSignedOut((await new Api({ csrf }, () => {}).signOut()).end_session_url);
      location.reload();
    } catch (error) {
      say(byId('gateway-problem', HTMLElement), `You could not be signed out. ${problemText(error)}`);
    }
  });
}

/** @param issuerProblem why the sign-in with an issuer failed; null: it did not */
function showForm(problem: string, issuerProblem: string | null): void {
  showOnly('sign-in');
  byId('sign-out', HTMLButtonElement).hidden = true;
  byId('principal', HTMLElement).hidden = true;
  const input = byId('key', HTMLInputElement);
  input.setAttribute('aria-invalid', String(problem !== ''));
  say(byId('sign-in-problem', HTMLElement), problem);
  showProblem(byId('issuer-problem', HTMLElement), issuerProblem);
  const link = document.querySelector<HTMLAnchorElement>('#issuers a');
  (problem === '' && link !== null ? link : input).focus();
}

/** @param issuer the issuer of the session; absent for a key */
function showPrincipal(principal_id: string, issuer?: string): void {
  const place = byId('principal', HTMLElement);
  if (!place.hidden) return;
  place.hidden = false;
  const by = issuer === undefined ? [] : [` via ${issuer}`];
  place.replaceChildren(icon('person'), element('span', { class: 'visually-hidden' }, 'Signed in as '), principal_id, ...by);
}

function showOnly(shown: 'sign-in' | 'no-access' | 'app'): void {
  for (const id of ['connecting', 'sign-in', 'no-access', 'app']) byId(id, HTMLElement).hidden = id !== shown;
}

function markCurrentPage(): void {
  const nav = document.querySelector('nav');
  const link = nav?.querySelector<HTMLAnchorElement>(`a[href="${location.pathname}"]`);
  if (nav == null || link == null) return;
  link.setAttribute('aria-current', 'page');
  // In a narrow window, not all links to pages fit, and even fewer once the visitor's name is shown.
  const middle = (): number => link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  new ResizeObserver(() => nav.scrollTo({ left: middle() })).observe(nav);
}
