import { Api } from './api.ts';
import { ApiError, problemText } from './api-error.ts';
import { byId, element, say } from './dom.ts';
import { icon } from './icon.ts';
import { wantsOtherKey } from './other-key.ts';
import { Session } from './session.ts';
import { isKey, takeKey } from './session-key.ts';

const STORED = 'svc.key';

/** Messages for a gateway that is not healthy, by its status. */
const PROBLEMS: Readonly<Record<string, string>> = {
  unavailable: 'The gateway cannot write evidence at the moment and rejects requests.',
  stopping: 'The gateway is shutting down.',
};

/**
 * Signs the visitor in with the key of this tab, else the one from the address, else none (a gateway without authentication), else by
 * the form; then shows the page's content and starts it. A key that the gateway does not know any more leads back to the form.
 */
export async function signIn(start: (session: Session) => void): Promise<void> {
  markCurrentPage();
  const { key: offered, malformed } = keyFromAddress();
  if (offered !== null && sessionStorage.getItem(STORED) === null) sessionStorage.setItem(STORED, offered);
  const key = sessionStorage.getItem(STORED);
  void changeKey(offered);
  // A link with a key may be opened in a tab that shows the page already.
  addEventListener('hashchange', () => void changeKey(keyFromAddress().key));
  wireForm();
  wireSignOut(key !== null);
  const api = new Api(key, () => {
    if (key === null) return;
    sessionStorage.removeItem(STORED);
    showForm('Unknown API key.');
  });
  try {
    const { status } = await api.health();
    const session = await Session.begin(api);
    showOnly('app');
    showPrincipal(session);
    say(byId('gateway-problem', HTMLElement), PROBLEMS[status] ?? '');
    start(session);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      say(byId('connecting', HTMLElement), `${problemText(error)} Reload the page to try again.`);
    } else if (key === null) {
      showForm(malformed ? 'The link does not contain a valid key.' : '');
    }
  }
}

/** Removes a key from the address, so that it does not end up in the history or a screenshot. */
function keyFromAddress(): { key: string | null; malformed: boolean } {
  const { key, cleaned } = takeKey(location.href);
  if (cleaned !== null) history.replaceState(null, '', cleaned);
  return { key, malformed: cleaned !== null && key === null };
}

/** Signs in anew with the key of a link. One that is signed in stays, unless the visitor wants it to go. */
async function changeKey(offered: string | null): Promise<void> {
  const key = sessionStorage.getItem(STORED);
  if (offered === null || offered === key) return;
  if (key !== null && !(await wantsOtherKey())) return;
  sessionStorage.setItem(STORED, offered);
  location.reload();
}

function wireForm(): void {
  const input = byId('key', HTMLInputElement);
  byId('sign-in-form', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault();
    const key = input.value.trim();
    if (!isKey(key)) return showForm('A key is “svc-” followed by 64 hexadecimal characters.');
    try {
      await new Api(key, () => {}).health();
    } catch (error) {
      const unknown = error instanceof ApiError && error.status === 401;
      return showForm(unknown ? 'Unknown API key.' : problemText(error));
    }
    sessionStorage.setItem(STORED, key);
    location.reload();
  });
}

function wireSignOut(signedIn: boolean): void {
  const button = byId('sign-out', HTMLButtonElement);
  button.hidden = !signedIn;
  // A new page has nothing left of what this one showed.
  button.addEventListener('click', () => {
    sessionStorage.removeItem(STORED);
    location.reload();
  });
}

function showForm(problem: string): void {
  showOnly('sign-in');
  byId('sign-out', HTMLButtonElement).hidden = true;
  const input = byId('key', HTMLInputElement);
  input.setAttribute('aria-invalid', String(problem !== ''));
  say(byId('sign-in-problem', HTMLElement), problem);
  input.focus();
}

function showPrincipal({ principal_id }: Session): void {
  const place = byId('principal', HTMLElement);
  place.hidden = false;
  place.append(icon('person'), element('span', { class: 'visually-hidden' }, 'Signed in as '), principal_id);
}

function showOnly(shown: 'sign-in' | 'app'): void {
  for (const id of ['connecting', 'sign-in', 'app']) byId(id, HTMLElement).hidden = id !== shown;
}

function markCurrentPage(): void {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === location.pathname) link.setAttribute('aria-current', 'page');
  }
}
