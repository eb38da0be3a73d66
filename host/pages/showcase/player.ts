import type { Api } from '../shared/api.ts';
import { ApiError, problemText, type Receipts } from '../shared/api-error.ts';
import type { ChatCompletion, Route, Run } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { Desk } from './desk.ts';
import { type Got, showHistory, showPanes, showStatus } from './exchange-view.ts';
import type { LedgerView } from './ledger/ledger-view.ts';
import { Rounds } from './rounds.ts';
import type { Scenario } from './scenarios.ts';
import { StreamView } from './stream-view.ts';
import { walk } from './walk.ts';
import { hasEnded, watch } from './watch.ts';

/** Maximum number of times that the same question is repeated. */
const MAX_ROUNDS = 5;

/** Sends messages and shows their outcome. A new message stops watching the previous run. */
export class Player {
  readonly #api: Api;
  readonly #session: Session;
  readonly #ledger: LedgerView;
  #watched = new AbortController();

  constructor(session: Session, ledger: LedgerView) {
    this.#api = session.api;
    this.#session = session;
    this.#ledger = ledger;
  }

  /** Stops watching the current run. */
  leave(): void {
    this.#watched.abort();
    this.#watched = new AbortController();
  }

  /** Resolves with the answer or its substitute. A paused run is still watched afterwards. */
  async play(route: Route, message: string, how: Scenario['play']): Promise<void> {
    this.leave();
    progress('Sending the message…');
    try {
      if (how === 'repeated') await this.#repeat(route, message);
      else if (how === 'streamed') await this.#stream(route, message);
      else await this.#once(route, message);
    } catch (error) {
      progress('');
      showProblem(byId('problem', HTMLElement), problemText(error));
      // A failed run has a history, too.
      if (error instanceof ApiError) await this.#showFailed(route, error.receipts).catch(() => {});
    }
    void this.#ledger.refresh();
  }

  async #once(route: Route, message: string): Promise<void> {
    const { completion, receipts } = await this.#api.chat(route.name, message);
    await this.#show(route, message, receipts, (run) => gotOf(run, textOf(completion)));
  }

  async #repeat(route: Route, message: string): Promise<void> {
    const rounds = new Rounds();
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const { completion, receipts } = await this.#api.chat(route.name, message);
      const stopped = completion.choices[0]?.finish_reason === 'content_filter';
      rounds.add(!stopped);
      if (stopped || round === MAX_ROUNDS) {
        rounds.end();
        await this.#show(route, message, receipts, (run) => gotOf(run, textOf(completion)));
        return;
      }
    }
  }

  async #stream(route: Route, message: string): Promise<void> {
    const { frames, receipts } = await this.#api.stream(route.name, message);
    const view = new StreamView(message);
    for await (const frame of frames) view.take(frame);
    if (view.error !== null) throw new ApiError(0, '', view.error, receipts);
    await this.#show(route, message, receipts, (run) => view.got(run));
  }

  async #show(route: Route, message: string, { run_id }: Receipts, gotOf: (run: Run) => Got): Promise<void> {
    if (run_id === null)
      throw new ApiError(0, '', 'The response has no run id. Check whether a proxy removes the header x-svc-run-id.');
    const run = await this.#api.run(run_id);
    const { signal } = this.#watched;
    await walk(route, run.events, signal);
    await this.#settle(message, run, gotOf(run));
    if (!hasEnded(run.status)) void this.#follow(route, message, run, signal);
  }

  /** Shows the current state of a run. */
  async #settle(message: string, run: Run, got: Got): Promise<void> {
    showStatus(run);
    // The content may have been erased meanwhile; the rest is still shown.
    const kept = hasEnded(run.status) ? await this.#api.sent(run.run_id).catch(() => null) : null;
    const sent = kept?.messages ?? null;
    showPanes({ message, sent, asked: run.events.some(({ event_type }) => event_type === 'provider_call'), got });
    showHistory(run);
    progress(`Run status: ${run.status}.`);
  }

  /** Shows the decision buttons if the visitor may decide, and the outcome of a decision made here or elsewhere. */
  async #follow(route: Route, message: string, paused: Run, signal: AbortSignal): Promise<void> {
    const desk = new Desk(this.#session, paused);
    try {
      await desk.open(signal);
      const ended = await watch(this.#api, paused, desk.decided, signal);
      desk.close();
      await walk(route, ended.events, signal);
      const answer = ended.status === 'completed' ? (await this.#api.response(ended.run_id)).completion : null;
      signal.throwIfAborted();
      const got: Got =
        answer === null
          ? { kind: 'stopped', text: `Ended without an answer. Status: ${ended.status}.` }
          : gotOf(ended, textOf(answer as unknown as ChatCompletion));
      await this.#settle(message, ended, got);
      void this.#ledger.refresh();
    } catch (error) {
      if (!signal.aborted) showProblem(byId('problem', HTMLElement), problemText(error));
    }
  }

  async #showFailed(route: Route, { run_id }: Receipts): Promise<void> {
    if (run_id === null) return;
    const run = await this.#api.run(run_id);
    await walk(route, run.events, this.#watched.signal);
    showStatus(run);
    showHistory(run);
  }
}

function gotOf({ status }: Run, text: string): Got {
  if (status === 'completed') return { kind: 'answer', text };
  return { kind: status === 'paused' ? 'waits' : 'stopped', text };
}

function textOf({ choices }: ChatCompletion): string {
  const content = choices[0]?.message.content;
  return typeof content === 'string' ? content : JSON.stringify(choices[0]?.message ?? null);
}

function progress(text: string): void {
  say(byId('progress', HTMLElement), text);
}
