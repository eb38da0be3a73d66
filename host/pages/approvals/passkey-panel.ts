import type { Api } from '../shared/api.ts';
import { ApiError, problemText } from '../shared/api-error.ts';
import type { Passkey, PasskeyList } from '../shared/api-types.ts';
import { byId, element, say, showProblem } from '../shared/dom.ts';
import { moment } from '../shared/moment.ts';
import { createPasskey } from '../shared/passkey.ts';

const ABOUT =
  'You sign your decisions with a passkey: the fingerprint, face or PIN of your device, or a security key. The ledger keeps the signature, so that others can verify it.';

/** Shows people who have signed in with an account their passkeys. Shows nothing if the gateway has no passkeys. */
export async function showPasskeys(api: Api): Promise<void> {
  if (!api.hasSession) return;
  try {
    const list = await api.passkeys();
    if (list.origin !== null) new PasskeyPanel(api, list.origin).show(list);
  } catch (error) {
    // People without the role approve have none.
    if (error instanceof ApiError && error.status === 403) return;
    const text = `Your passkeys cannot be loaded. ${problemText(error)}`;
    byId('problem', HTMLElement).before(element('p', { class: 'notice bad', role: 'alert' }, text));
  }
}

class PasskeyPanel {
  readonly #api: Api;
  readonly #origin: string;
  readonly #count = element('summary');
  readonly #list = element('ul', { class: 'plain' });
  readonly #problem = element('p', { class: 'notice bad', role: 'alert', hidden: true });
  readonly #done = element('p', { class: 'hint', role: 'status' });

  constructor(api: Api, origin: string) {
    this.#api = api;
    this.#origin = origin;
    const panel = element('details', { class: 'card passkeys' }, this.#count, element('p', {}, ABOUT), this.#list);
    panel.append(location.origin === origin ? this.#register() : this.#elsewhere(), this.#problem, this.#done);
    byId('problem', HTMLElement).before(panel);
  }

  show({ passkeys }: PasskeyList): void {
    say(this.#count, `Your passkeys: ${passkeys.length === 0 ? 'none' : passkeys.length}`);
    this.#list.replaceChildren(...passkeys.map((passkey) => this.#entry(passkey)));
  }

  #register(): HTMLElement {
    const button = element('button', { type: 'button' }, 'Register a passkey');
    button.addEventListener('click', () =>
      this.#change('Passkey registered.', async () => {
        const { options, ticket } = await this.#api.beginPasskey();
        await this.#api.registerPasskey({ ticket, credential: await createPasskey(options) });
      }),
    );
    return element('div', { class: 'actions' }, button);
  }

  #elsewhere(): HTMLElement {
    const address = `${this.#origin}/approvals`;
    return element('p', { class: 'notice' }, 'Passkeys work only at ', element('a', { href: address }, address), '.');
  }

  #entry({ id, created_at }: Passkey): HTMLElement {
    const remove = element('button', { type: 'button', class: 'quiet', 'aria-label': `Remove passkey ${id}` }, 'Remove');
    remove.addEventListener('click', () => this.#change('Passkey removed.', () => this.#api.removePasskey(id)));
    return element('li', {}, element('code', {}, id.slice(0, 12)), ' registered ', moment(created_at), ' ', remove);
  }

  async #change(done: string, change: () => Promise<unknown>): Promise<void> {
    showProblem(this.#problem, null);
    say(this.#done, '');
    try {
      await change();
      this.show(await this.#api.passkeys());
      say(this.#done, done);
    } catch (error) {
      showProblem(this.#problem, problemText(error));
    }
  }
}
