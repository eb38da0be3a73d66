import type { Static } from 'typebox';
import type { RunChange } from '../../host/src/http/schemas.ts';

type Change = Static<typeof RunChange>;

/** A client that receives the changes of paused runs. */
export class RunChanges {
  readonly response: Response;
  readonly #leaving: AbortController;
  readonly #bytes: ReadableStreamDefaultReader<string> | undefined;
  #unread = '';

  private constructor(response: Response, leaving: AbortController) {
    this.response = response;
    this.#leaving = leaving;
    this.#bytes = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Resolves when the response has begun: every later change is sent. */
  static async connect(url: string, headers: Record<string, string>): Promise<RunChanges> {
    const leaving = new AbortController();
    return new RunChanges(await fetch(`${url}/v1/runs/events`, { headers, signal: leaving.signal }), leaving);
  }

  /** The next event, or comment; null: the stream has ended. */
  async #next(): Promise<string | null> {
    for (;;) {
      const end = this.#unread.indexOf('\n\n');
      if (end >= 0) {
        const event = this.#unread.slice(0, end);
        this.#unread = this.#unread.slice(end + 2);
        return event;
      }
      const { done = true, value } = (await this.#bytes?.read()) ?? {};
      if (done) return null;
      this.#unread += value;
    }
  }

  /** Resolves with the next comment. */
  async comment(): Promise<string> {
    for (;;) {
      const event = await this.#next();
      if (event === null) throw new Error('the stream has ended');
      if (event.startsWith(':')) return event;
    }
  }

  /** The next change, skipping comments; null: the stream has ended. */
  async change(): Promise<Change | null> {
    for (;;) {
      const event = await this.#next();
      if (event === null) return null;
      if (event.startsWith('data: ')) return JSON.parse(event.slice('data: '.length));
    }
  }

  /** Resolves with the next change of a run. */
  async of(run_id: string): Promise<Change> {
    for (;;) {
      const change = await this.change();
      if (change === null) throw new Error('the stream has ended');
      if (change.run.run_id === run_id) return change;
    }
  }

  leave(): void {
    this.#leaving.abort();
  }
}
