import type { Api, ChatAnswer } from '../shared/api.ts';
import { ApiError, problemText, type Receipts } from '../shared/api-error.ts';
import type { Run } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import { hasEnded, showAnswer, showInstead, showRun } from './result.ts';
import { watch } from './watch.ts';

/** Sends messages through a route and shows what comes of them. A new message ends the watch over the run before. */
export class Asking {
  readonly #api: Api;
  #watched = new AbortController();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Resolves when there is an answer, or what stands in its place; the watch over a paused run goes on. */
  async ask(route: string, message: string): Promise<void> {
    this.#watched.abort();
    this.#watched = new AbortController();
    showProblem(problem(), null);
    byId('result', HTMLElement).hidden = true;
    progress('Waiting for the answer…');
    try {
      const run = await this.#show(await this.#api.chat(route, message));
      if (!hasEnded(run.status)) void this.#follow(run, this.#watched.signal);
    } catch (error) {
      progress('');
      showProblem(problem(), problemText(error));
      // A run that failed has a history too.
      if (error instanceof ApiError) await this.#showFailed(error.receipts).catch(() => {});
    }
  }

  async #show({ completion, receipts }: ChatAnswer): Promise<Run> {
    const { run_id, evidence } = receipts;
    if (run_id === null) throw new ApiError(0, '', 'The answer named no run. Does a proxy take headers away?');
    const run = await this.#api.run(run_id);
    if (run.status === 'completed') showAnswer(completion);
    else showInstead(sentenceOf(completion), run.status === 'paused');
    showRun(run, evidence);
    progress(`The run is ${run.status}.`);
    return run;
  }

  /** Shows what comes of a decision that is made elsewhere. */
  async #follow(paused: Run, signal: AbortSignal): Promise<void> {
    try {
      const ended = await watch(this.#api, paused, (run) => showRun(run, null), signal);
      if (ended.status === 'completed') {
        const { completion } = await this.#api.response(ended.run_id);
        signal.throwIfAborted();
        if (completion === null) showInstead('The request was approved, but its answer is not kept any more.', false);
        else showAnswer(completion);
      } else {
        showInstead(`The request ended without an answer: it is ${ended.status}.`, false);
      }
      progress(`The run is ${ended.status}.`);
    } catch (error) {
      if (!signal.aborted) showProblem(problem(), problemText(error));
    }
  }

  async #showFailed({ run_id, evidence }: Receipts): Promise<void> {
    if (run_id === null) return;
    const run = await this.#api.run(run_id);
    byId('answer', HTMLElement).replaceChildren();
    showRun(run, evidence);
  }
}

function sentenceOf({ choices }: ChatAnswer['completion']): string {
  const content = choices[0]?.message.content;
  return typeof content === 'string' ? content : 'There is no answer.';
}

function problem(): HTMLElement {
  return byId('problem', HTMLElement);
}

function progress(text: string): void {
  say(byId('progress', HTMLElement), text);
}
