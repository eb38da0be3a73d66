import { ApiError } from '../shared/api-error.ts';
import type { Decision, PendingRun, StoredRun } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { decisionButtons } from '../shared/decision-buttons.ts';
import { element, say, showProblem } from '../shared/dom.ts';
import { eventsView } from '../shared/events-view.ts';
import { otherOutcome, ownOutcome, refusalOf } from '../shared/outcome.ts';
import { stopsOf } from '../shared/pipeline.ts';
import type { Session } from '../shared/session.ts';
import { EditForm, editedView, unsentView } from './edit-form.ts';
import {
  barrierText,
  decisionsView,
  idsView,
  latestNews,
  pauseOf,
  pausesOf,
  pendingView,
  runFacts,
  runsDecided,
} from './run-facts.ts';
import { trailView } from './trail-view.ts';
import type { Group } from './waiting-runs.ts';

/** The run that is decided on, and the copies in its statement. */
const MAX_SIGNED_RUNS = 101;

/** One paused run on the page: shows the content to decide on, and the buttons for the decision. */
export class RunCard {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #onDecided: (run?: StoredRun) => void;
  readonly #title: HTMLElement;
  readonly #times = element('span', { hidden: true });
  readonly #facts = element('dl', { class: 'facts' });
  readonly #body = element('div');
  readonly #made = element('div');
  readonly #history = element('div');
  readonly #ids = element('p', { class: 'ids' });
  readonly #problem = element('p', { class: 'notice bad', role: 'alert', hidden: true });
  readonly #outcome = element('p', { class: 'decided', role: 'status' });
  /** Both are announced to screen readers when they change. */
  readonly #copies = element('p', { class: 'notice', role: 'status', hidden: true });
  readonly #news = element('p', { class: 'notice waits', role: 'status', hidden: true });
  readonly #unsent = element('div', { class: 'unsent', hidden: true });
  readonly #reason = element('input', { type: 'text', maxlength: '1000', autocomplete: 'off' });
  #edit: EditForm | null = null;
  /** The form that is on the page. */
  #writing: EditForm | null = null;
  #actions: HTMLElement | null = null;
  /** As last listed. */
  #run: StoredRun;
  /** Number of runs that one decision applies to, this one included. */
  #runs = 1;
  #shown: PendingRun | null = null;
  /** Events of the run when its pending content was read. */
  #seen = 0;
  #isLoading = false;
  /** The barrier that the buttons are for. */
  #offeredTo: StoredRun['cannot_approve'];
  /**
   * `forbidden`: only someone else can decide. `deciding`: the visitor's own decision is being sent, so the list's
   * status is ignored.
   */
  #state: 'waiting' | 'forbidden' | 'deciding' | 'settled' = 'waiting';

  /** @param onDecided called with the run that the visitor decided, or after a failure, when the list may have changed */
  constructor(session: Session, run: StoredRun, onDecided: (run?: StoredRun) => void) {
    this.#session = session;
    this.#run = run;
    this.#onDecided = onDecided;
    const { run_id, principal_id, events } = run;
    const route = session.route(run.route);
    const id = `run-${run_id}-${pausesOf(events)}`;
    const code = pauseOf(events)?.code ?? '';
    const asks = `Request ${principal_id === '' ? '' : `from ${principal_id} `}to “${run.route}”`;
    const rule = code === '' ? [] : [badge({ text: code, tone: 'waits' })];
    this.#title = element('h2', { id }, asks, ' ', ...rule, ' ', this.#times);
    const way = route === null || events.length === 0 ? [] : [trailView(stopsOf(route, events))];
    const parts = [this.#title, this.#facts, ...way, this.#copies, this.#news, this.#body, this.#made];
    const ends = [this.#problem, this.#outcome, this.#unsent, this.#history, this.#ids];
    this.element = element('article', { class: 'card run', 'aria-labelledby': id, tabindex: '-1' }, ...parts, ...ends);
    this.#showRun();
  }

  get run(): StoredRun {
    return this.#run;
  }

  get settled(): boolean {
    return this.#state === 'settled';
  }

  /** Whether it shows the visitor's own decision, or any result: the list affects it no more. */
  get isBeyondOthers(): boolean {
    return this.#state === 'deciding' || this.#state === 'settled';
  }

  get #choices(): readonly Decision[] {
    if (this.#run.cannot_approve === 'passkey') return [];
    return this.#run.cannot_approve === 'approved' ? ['denied'] : ['approved', 'denied'];
  }

  /** Whether the visitor has written something that was not sent. */
  get hasUnsent(): boolean {
    return this.#reason.value.trim() !== '' || (this.#edit?.edits.length ?? 0) > 0;
  }

  /** Updates the card from the runs that one decision applies to, including this one, as they are listed now. */
  update(group: Group): void {
    if (this.isBeyondOthers) return;
    const before = this.#run;
    this.#run = group.find(({ run_id }) => run_id === before.run_id) ?? before;
    this.#runs = group.length;
    const isOne = this.#runs === 1;
    this.#times.hidden = isOne;
    this.#times.replaceChildren(badge({ text: `${this.#runs} times`, tone: 'waits' }, 'again'));
    const most = this.#runs > MAX_SIGNED_RUNS ? `, or with a passkey to ${MAX_SIGNED_RUNS}` : '';
    const copies = `This request was sent ${this.#runs} times. Your decision applies to all of them${most}. An approval with changes applies only to this one.`;
    showProblem(this.#copies, isOne ? null : copies);
    if (this.#run.events.length !== before.events.length) this.#showRun();
    const isForbidden = ['role', 'approvers', 'own_request'].includes(this.#run.cannot_approve ?? '');
    if (isForbidden && this.#state === 'waiting') this.#forbid(barrierText(this.#run));
    else if (!isForbidden && this.#state === 'forbidden') this.#state = 'waiting';
  }

  #showRun(): void {
    const { events } = this.#run;
    this.#facts.replaceChildren(...runFacts(this.#run, this.#session.route(this.#run.route), this.#shown));
    this.#history.replaceChildren(...(events.length === 0 ? [] : [eventsView(events)]));
    this.#ids.replaceChildren(...idsView(this.#run, this.#shown?.digest ?? null));
  }

  /** Fetches the pending content, and retries after a failure. Once it is shown, only when somebody has changed the run. */
  async load(): Promise<void> {
    const { run_id, events } = this.#run;
    const isCurrent = this.#seen === events.length && this.#offeredTo === this.#run.cannot_approve;
    if (this.#state !== 'waiting' || this.#isLoading || (this.#shown !== null && isCurrent)) return;
    this.#isLoading = true;
    try {
      const pending = await this.#session.api.pending(run_id);
      if (this.#state !== 'waiting') return;
      const isFirst = this.#shown === null;
      this.#seen = events.length;
      const isOther = this.#shown?.digest !== pending.digest;
      if (!isFirst) this.#report(isOther);
      if (isOther) this.#show(pending);
      else if (this.#offeredTo !== this.#run.cannot_approve) this.#offerDecision(pending);
      this.#made.replaceChildren(...decisionsView(pending));
    } catch (error) {
      await this.#refused(error);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Reports what somebody else has done meanwhile. */
  #report(isOther: boolean): void {
    const news = latestNews(this.#run, this.#session.principal_id);
    const kept = isOther && this.hasUnsent ? ' Your input is kept, and your edits are compared with the new text.' : '';
    if (news !== null) showProblem(this.#news, news + kept);
  }

  /** Call it repeatedly while the run is missing from the list, until its outcome is known. */
  async gone(): Promise<void> {
    if (this.isBeyondOthers) return;
    try {
      this.ended(await this.#session.api.run(this.#run.run_id));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) this.#settle('This request is no longer pending.');
    }
  }

  /** @param run this run, which no longer waits for the card's decision */
  ended(run: Pick<StoredRun, 'status' | 'events'>): void {
    if (this.isBeyondOthers) return;
    const waits = run.status === 'paused' && pausesOf(run.events) === pausesOf(this.#run.events);
    if (waits) return;
    const isBarred = run.status === 'paused' && run.events.length === 0;
    this.#settle(isBarred ? 'You may no longer decide this request.' : otherOutcome(run));
  }

  #show(pending: PendingRun): void {
    this.#shown = pending;
    this.element.classList.remove('others');
    this.#showRun();
    this.#edit = new EditForm(pending, this.#edit);
    this.#body.replaceChildren(...pendingView(pending), ...editedView(pending));
    showProblem(this.#problem, null);
    this.#offerDecision(pending);
  }

  /** Keeps the place where the visitor is writing. Cancels an open confirmation, because it was for the previous content. */
  #offerDecision(pending: PendingRun): void {
    const isInside = this.#actions?.contains(document.activeElement) === true;
    const cursor = this.#writing?.cursor ?? null;
    const isReason = document.activeElement === this.#reason;
    this.#offeredTo = this.#run.cannot_approve;
    if (this.#offeredTo !== undefined) say(this.#outcome, barrierText(this.#run));
    else if (this.#state === 'waiting') say(this.#outcome, '');
    this.#actions?.remove();
    this.#actions = this.#actionsFor(pending);
    this.#problem.before(this.#actions);
    this.#writing = this.#edit;
    if (cursor !== null && this.#edit !== null) this.#edit.cursor = cursor;
    else if (isReason) this.#reason.focus({ preventScroll: true });
    else if (isInside) this.element.focus({ preventScroll: true });
  }

  #actionsFor(pending: PendingRun): HTMLElement {
    if (this.#choices.length === 0) return element('div');
    const isApproval = this.#choices.includes('approved');
    const isRequired = pending.reason === 'required';
    const reason = element('label', { class: 'reason' }, isRequired ? 'Reason (required)' : 'Reason', this.#reason);
    const way = pending.passkey === 'none' ? '' : ' with passkey';
    const decide = (decision: Decision): void => void this.#decide(decision, pending);
    const buttons = decisionButtons(this.#title.id, decide, way, this.#choices);
    const edit = this.#edit === null || !isApproval ? [] : [this.#edit.element];
    // On a phone, the buttons are on the screen without scrolling.
    return element('div', {}, ...(isRequired ? [reason, buttons] : [buttons, reason]), ...edit);
  }

  async #decide(decision: Decision, { digest, reason: need, passkey }: PendingRun): Promise<void> {
    if (this.#state !== 'waiting') return;
    const reason = this.#reason.value.trim();
    if (reason === '' && need === 'required') {
      showProblem(this.#problem, 'Enter a reason: this route requires one.');
      return this.#reason.focus();
    }
    const edits = decision === 'denied' ? [] : (this.#edit?.edits ?? []);
    this.#state = 'deciding';
    // Move the focus before removing the buttons.
    this.element.focus({ preventScroll: true });
    this.#actions?.remove();
    for (const place of [this.#problem, this.#news]) showProblem(place, null);
    say(this.#outcome, decision === 'approved' ? 'Approving…' : 'Denying…');
    let decided: StoredRun | undefined;
    try {
      const { status, events } = await this.#session.api.resume(this.#run.run_id, decision, digest, reason, edits, passkey);
      if (status === 'paused' && pausesOf(events) === pausesOf(this.#run.events)) this.#waitForOthers();
      else this.#end(ownOutcome(decision, status, runsDecided(events)));
      decided = { ...this.#run, status, events };
    } catch (error) {
      this.#state = 'waiting';
      say(this.#outcome, '');
      await this.#refused(error);
    }
    this.#onDecided(decided);
  }

  /** More people must approve. The visitor can still deny. */
  #waitForOthers(): void {
    this.#state = 'waiting';
    this.#reason.value = '';
    this.#run = { ...this.#run, cannot_approve: 'approved' };
    if (this.#shown !== null) this.#offerDecision(this.#shown);
  }

  async #refused(error: unknown): Promise<void> {
    const refusal = refusalOf(error);
    switch (refusal.kind) {
      case 'decided':
        // It was decided, or somebody has edited it.
        this.#seen = 0;
        if (this.#shown !== null) this.#offerDecision(this.#shown);
        return this.gone();
      case 'forbidden':
        return this.#forbid(barrierText(this.#run));
      case 'problem':
        showProblem(this.#problem, refusal.text);
        if (this.#shown !== null) this.#offerDecision(this.#shown);
    }
  }

  #forbid(why: string): void {
    this.#state = 'forbidden';
    this.#shown = null;
    this.#showRun();
    this.#actions?.remove();
    this.#made.replaceChildren();
    for (const place of [this.#problem, this.#news]) showProblem(place, null);
    say(this.#outcome, '');
    this.element.classList.add('others');
    this.#body.replaceChildren(element('p', { class: 'notice' }, `${why} Only its approvers can see the content.`));
  }

  /** Shows that others have decided. The visitor's unsent text stays, so that it can be copied. */
  #settle(text: string): void {
    if (this.hasUnsent) {
      const reason = this.#reason.value.trim();
      const texts = [...(reason === '' ? [] : [unsentView('Reason', reason)]), ...(this.#edit?.unsent() ?? [])];
      this.#unsent.replaceChildren(element('p', { class: 'notice waits' }, 'Your input was not sent:'), ...texts);
      this.#unsent.hidden = false;
    }
    this.#end(text);
  }

  #end(text: string): void {
    this.#state = 'settled';
    if (this.element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    this.#actions?.remove();
    // Only the decision remains to be shown, and a content may be large.
    for (const part of [this.#body, this.#made]) part.replaceChildren();
    this.element.classList.add('settled');
    showProblem(this.#problem, null);
    say(this.#outcome, text);
  }
}
