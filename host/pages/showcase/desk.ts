import { problemText } from '../shared/api-error.ts';
import type { Decision, Run } from '../shared/api-types.ts';
import { decisionButtons } from '../shared/decision-buttons.ts';
import { byId, element, say } from '../shared/dom.ts';
import { messageView } from '../shared/message-view.ts';
import { refusalOf } from '../shared/outcome.ts';
import type { Session } from '../shared/session.ts';
import { turnsOf } from '../shared/turns.ts';

/** A pending run, with the decision buttons if the visitor may decide. */
export class Desk {
  readonly #session: Session;
  readonly #run: Run;
  readonly #place = byId('desk', HTMLElement);
  readonly #status = element('p', { class: 'decided', role: 'status' });
  #settle: () => void = () => {};
  /** Resolves when the visitor, or somebody else, has decided. */
  readonly decided = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(session: Session, run: Run) {
    this.#session = session;
    this.#run = run;
  }

  /** @param signal aborted when the visitor moves on */
  async open(signal: AbortSignal): Promise<void> {
    const title = element('h3', { id: 'desk-title', tabindex: '-1' }, 'Approval required');
    const show = (...parts: Node[]): void => {
      if (signal.aborted) return;
      this.#place.replaceChildren(element('div', { class: 'notice waits desk' }, title, ...parts, this.#status));
    };
    try {
      const { messages, answer, digest } = await this.#session.api.pending(this.#run.run_id);
      const held = turnsOf(answer).map((turn) => messageView(turn, 'answer awaiting approval'));
      const seen = [...messages.map((message) => messageView(message)), ...held];
      const buttons = decisionButtons('desk-title', (decision) => void this.#decide(decision, digest, buttons));
      show(element('p', {}, 'The approver sees the request with the guards’ edits:'), ...seen, buttons);
    } catch (error) {
      const who = this.#run.approvers.length === 0 ? 'another approver' : this.#run.approvers.join(' or ');
      const forbidden = refusalOf(error).kind === 'forbidden';
      // Without this tab's key, so that another approver can sign in.
      const other = element('a', { href: '/approvals', target: '_blank', rel: 'noopener' }, 'sign in as an approver');
      const same = element('a', { href: '/approvals', target: 'svc-approvals', rel: 'opener' }, 'Open approvals');
      if (forbidden) show(element('p', {}, `You cannot decide this request. It is waiting for ${who}: `, other, '.'));
      else show(element('p', {}, `${problemText(error)} `, same));
    }
  }

  close(): void {
    if (this.#place.contains(document.activeElement)) byId('main', HTMLElement).focus({ preventScroll: true });
    this.#place.replaceChildren();
  }

  async #decide(decision: Decision, digest: string, buttons: HTMLElement): Promise<void> {
    document.getElementById('desk-title')?.focus({ preventScroll: true });
    buttons.remove();
    say(this.#status, decision === 'approved' ? 'Approving…' : 'Denying…');
    try {
      await this.#session.api.resume(this.#run.run_id, decision, digest);
    } catch (error) {
      const refusal = refusalOf(error);
      say(this.#status, refusal.kind === 'decided' ? 'Another approver decided first.' : problemText(error));
    }
    this.#settle();
  }
}
