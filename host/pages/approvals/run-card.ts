import type { Api } from '../shared/api.ts';
import { ApiError } from '../shared/api-error.ts';
import type { Decision, PendingRun, Route, StoredRun } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { decisionButtons } from '../shared/decision-buttons.ts';
import { element, say, showProblem } from '../shared/dom.ts';
import { eventsView } from '../shared/events-view.ts';
import { otherOutcome, ownOutcome, refusalOf } from '../shared/outcome.ts';
import { stopsOf } from '../shared/pipeline.ts';
import { EditForm, editedView } from './edit-form.ts';
import { decisionsView, idsView, pauseOf, pausesOf, pendingView, runFacts } from './run-facts.ts';
import { trailView } from './trail-view.ts';

/** One paused run on the page: shows the content to decide on, and the buttons for the decision. */
export class RunCard {
  readonly element: HTMLElement;
  readonly #api: Api;
  readonly #route: Route | null;
  readonly #run: StoredRun;
  readonly #onDecided: () => void;
  readonly #title: HTMLElement;
  readonly #times = element('span', { hidden: true });
  readonly #facts = element('dl', { class: 'facts' });
  readonly #body = element('div');
  readonly #made = element('div');
  /** Events of the run when its pending content was read. */
  #seen = 0;
  #edit: EditForm | null = null;
  readonly #history: HTMLElement;
  readonly #problem = element('p', { class: 'notice bad', role: 'alert', hidden: true });
  readonly #outcome = element('p', { class: 'decided', role: 'status' });
  /** Announced to screen readers when it changes. */
  readonly #others = element('p', { class: 'notice', role: 'status', hidden: true });
  readonly #reason = element('input', { type: 'text', maxlength: '1000', autocomplete: 'off' });
  #group: readonly StoredRun[];
  #actions: HTMLElement | null = null;
  #shown: PendingRun | null = null;
  /**
   * `forbidden`: only someone else can decide. `deciding`: the visitor's own decision is being sent, so the list's
   * status is ignored.
   */
  #state: 'waiting' | 'forbidden' | 'deciding' | 'settled' = 'waiting';

  /** @param onDecided called after the visitor decided, when the list may have changed */
  constructor(api: Api, run: StoredRun, route: Route | null, onDecided: () => void) {
    this.#api = api;
    this.#route = route;
    this.#run = run;
    this.#group = [run];
    this.#onDecided = onDecided;
    const id = `run-${run.run_id}-${pausesOf(run.events)}`;
    const code = pauseOf(run.events)?.code ?? '';
    const asks = `Request from ${run.principal_id} to “${run.route}”`;
    this.#title = element(
      'h2',
      { id },
      asks,
      ' ',
      ...(code === '' ? [] : [badge({ text: code, tone: 'waits' })]),
      ' ',
      this.#times,
    );
    this.#facts.append(...runFacts(run, route, null));
    const way = route === null ? [] : [trailView(stopsOf(route, run.events))];
    this.#history = eventsView(run.events);
    const parts = [
      this.#title,
      this.#facts,
      ...way,
      this.#others,
      this.#body,
      this.#made,
      this.#problem,
      this.#outcome,
      this.#history,
    ];
    this.element = element('article', { class: 'card run', 'aria-labelledby': id, tabindex: '-1' }, ...parts);
  }

  get settled(): boolean {
    return this.#state === 'settled';
  }

  /** Only someone other than the visitor can decide. */
  get forbidden(): boolean {
    return this.#state === 'forbidden';
  }

  /** All runs that one decision applies to, this one included. */
  waitsFor(group: readonly StoredRun[]): void {
    if (this.#isBeyondOthers()) return;
    this.#group = group;
    const { length } = group;
    const isOne = length === 1;
    this.#times.hidden = isOne;
    this.#others.hidden = isOne;
    this.#times.replaceChildren(badge({ text: `${length} times`, tone: 'waits' }, 'again'));
    say(this.#others, isOne ? '' : `This request was sent ${length} times. Your decision applies to all of them.`);
  }

  /** Whether the visitor can decide this run here. */
  isFor(run_id: string): boolean {
    return this.#group.some((run) => run.run_id === run_id);
  }

  /** Fetches the pending content, and retries after a failure. Once it is shown, only to show what others have decided. */
  async load(): Promise<void> {
    const { length } = this.#current().events;
    if (this.#state !== 'waiting' || (this.#shown !== null && this.#seen === length)) return;
    try {
      const pending = await this.#api.pending(this.#run.run_id);
      this.#seen = length;
      if (this.#shown?.digest !== pending.digest) this.#show(pending);
      this.#made.replaceChildren(...decisionsView(pending));
    } catch (error) {
      await this.#refused(error);
    }
  }

  /** The run as it was listed last. */
  #current(): StoredRun {
    return this.#group.find(({ run_id }) => run_id === this.#run.run_id) ?? this.#run;
  }

  /** The run is missing from the list: it was decided, or newer runs pushed it out. Called repeatedly until that is known. */
  async gone(): Promise<void> {
    if (this.#isBeyondOthers()) return;
    try {
      const run = await this.#api.run(this.#run.run_id);
      if (this.#isBeyondOthers()) return;
      const waits = run.status === 'paused' && pausesOf(run.events) === pausesOf(this.#run.events);
      if (!waits) this.#settle(otherOutcome(run));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) this.#settle('This request is no longer pending.');
    }
  }

  /** Decisions by others do not affect this card for now. */
  #isBeyondOthers(): boolean {
    return this.#state === 'deciding' || this.#state === 'settled';
  }

  #show(pending: PendingRun): void {
    this.#shown = pending;
    this.#facts.replaceChildren(...runFacts(this.#run, this.#route, pending));
    this.#edit = new EditForm(pending);
    this.#body.replaceChildren(...pendingView(pending), ...editedView(pending));
    this.#history.append(idsView(pending));
    showProblem(this.#problem, null);
    this.#offerDecision(pending);
  }

  #offerDecision(pending: PendingRun): void {
    this.#actions?.remove();
    const isRequired = pending.reason === 'required';
    const reason = element('label', { class: 'reason' }, isRequired ? 'Reason (required)' : 'Reason', this.#reason);
    const way = pending.passkey === 'none' ? '' : ' with passkey';
    const buttons = decisionButtons(this.#title.id, (decision) => void this.#decide(decision, pending), way);
    const edit = this.#edit === null ? [] : [this.#edit.element];
    // On a phone, the buttons are on the screen without scrolling.
    this.#actions = element('div', {}, ...(isRequired ? [reason, buttons] : [buttons, reason]), ...edit);
    this.#problem.before(this.#actions);
  }

  async #decide(decision: Decision, { digest, reason: need, passkey }: PendingRun): Promise<void> {
    if (this.#state !== 'waiting') return;
    const reason = this.#reason.value.trim();
    if (reason === '' && need === 'required') {
      showProblem(this.#problem, 'Enter a reason: this route requires one.');
      return this.#reason.focus();
    }
    const edits = this.#edit?.edits ?? [];
    if (decision === 'denied' && edits.length > 0) {
      showProblem(this.#problem, 'You have edited this request. Undo your edits to deny it as it was sent.');
      return;
    }
    this.#state = 'deciding';
    // Move the focus before removing the buttons.
    this.element.focus({ preventScroll: true });
    this.#actions?.remove();
    showProblem(this.#problem, null);
    say(this.#outcome, decision === 'approved' ? 'Approving…' : 'Denying…');
    try {
      const { status, events } = await this.#api.resume(this.#run.run_id, decision, digest, reason, edits, passkey);
      if (status === 'paused' && pausesOf(events) === pausesOf(this.#run.events)) this.#waitForOthers();
      else this.#settle(ownOutcome(decision, status, this.#group.length));
    } catch (error) {
      this.#state = 'waiting';
      say(this.#outcome, '');
      await this.#refused(error);
    }
    this.#onDecided();
  }

  /** More people must approve. The visitor can still deny. */
  #waitForOthers(): void {
    this.#state = 'waiting';
    this.#reason.value = '';
    say(this.#outcome, 'You approved this request. It needs the approval of more people.');
    if (this.#shown !== null) this.#offerDecision(this.#shown);
  }

  async #refused(error: unknown): Promise<void> {
    const refusal = refusalOf(error);
    switch (refusal.kind) {
      case 'decided':
        return this.gone();
      case 'forbidden':
        this.#state = 'forbidden';
        this.#actions?.remove();
        this.element.classList.add('others');
        this.#body.replaceChildren(
          element('p', { class: 'notice' }, `${this.#approvers()} Only its approvers can see the content.`),
        );
        return;
      case 'problem':
        showProblem(this.#problem, refusal.text);
        if (this.#shown !== null) this.#offerDecision(this.#shown);
    }
  }

  #approvers(): string {
    const { approvers } = this.#run;
    if (approvers.length === 0) return 'You cannot decide this request. It is waiting for another approver.';
    return `You cannot decide this request. It is waiting for ${approvers.join(' or ')}.`;
  }

  #settle(text: string): void {
    this.#state = 'settled';
    if (this.element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    this.#actions?.remove();
    this.element.classList.add('settled');
    showProblem(this.#problem, null);
    say(this.#outcome, text);
  }
}
