import type { Api, ChatAnswer } from '../shared/api.ts';
import { ApiError, problemText, type Receipts } from '../shared/api-error.ts';
import type { Run } from '../shared/api-types.ts';
import { byId, say, showProblem } from '../shared/dom.ts';
import { hasEnded, showAnswer, showInstead, showRun } from './result.ts';
import { watch } from './watch.ts';

/** Sends one message at a time through a route and shows what came of it. A new message ends the watch over the one before. */
export class Asking {
  readonly #api: Api;
  #current = new AbortController();

  constructor(api: Api) {
    this.#api = api;
  }

  async ask(route: string, message: string): Promise<void> {
    this.#current.abort();
    const current = new AbortController();
    this.#current = current;
    showProblem(problem(), null);
    byId('result', HTMLElement).hidden = true;
    progress('Waiting for the answer…');
    try {
      const answer = await this.#api.chat(route, message);
      await this.#show(answer, current.signal);
    } catch (error) {
      if (current.signal.aborted) return;
      progress('');
      showProblem(problem(), problemText(error));
      // A run that failed has a history too.
      if (error instanceof ApiError) await this.#showFailed(error.receipts).catch(() => {});
    }
  }

  async #show({ completion, receipts }: ChatAnswer, signal: AbortSignal): Promise<void> {
    const { run_id, evidence } = receipts;
    if (run_id === null) throw new ApiError(0, '', 'The answer named no run; is there a proxy that removes headers?');
    const run = await this.#api.run(run_id);
    if (run.status === 'completed') showAnswer(completion);
    else showInstead(sentenceOf(completion), run.status === 'paused');
    showRun(run, evidence);
    progress(`The run is ${run.status}.`);
    if (!hasEnded(run.status)) await this.#follow(run, signal);
  }

  /** Shows what comes of a decision that is made elsewhere. */
  async #follow(paused: Run, signal: AbortSignal): Promise<void> {
    const ended = await watch(this.#api, paused, (run) => showRun(run, null), signal);
    showRun(ended, null);
    progress(`The run is ${ended.status}.`);
    if (ended.status !== 'completed') return showInstead(`The run ended without an answer: ${ended.status}.`, false);
    const { completion } = await this.#api.response(ended.run_id);
    if (completion === null) showInstead('The run was approved, but its answer is not kept any more.', false);
    else showAnswer(completion);
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
