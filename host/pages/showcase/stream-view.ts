import type { Frame, Run } from '../shared/api-types.ts';
import { byId, say } from '../shared/dom.ts';
import { type Got, showPanes } from './exchange-view.ts';
import { type Arrival, streamPicture } from './stream-picture.ts';

/** An answer as it comes: the text so far, and when each piece of it came. */
export class StreamView {
  readonly #message: string;
  readonly #begun = performance.now();
  readonly #arrivals: Arrival[] = [];
  #text = '';
  #cut: string | null = null;
  /** What the last frame says went wrong; null where nothing did. */
  error: string | null = null;

  constructor(message: string) {
    this.#message = message;
  }

  take(frame: Frame): void {
    if ('error' in frame) {
      this.error = frame.error.message;
      return;
    }
    const { choices, svc_event } = frame;
    const content = choices[0]?.delta.content ?? '';
    if (svc_event !== undefined) this.#cut = svc_event;
    // Of a request that was stopped, the one frame is a sentence about that.
    this.#text += content;
    if (content !== '') this.#arrivals.push({ at_ms: performance.now() - this.#begun, characters: this.#text.length });
    say(byId('progress', HTMLElement), 'Receiving the answer…');
    showPanes({ message: this.#message, sent: null, asked: true, got: { kind: 'comes', text: this.#text } });
  }

  got({ status }: Run): Got {
    const late = this.#cut === 'late_violation';
    const violated = this.#cut === 'stream_violation' || late;
    if (status === 'completed') return { kind: 'answer', text: this.#text, picture: streamPicture(this.#arrivals, false) };
    if (!violated) return { kind: status === 'paused' ? 'waits' : 'stopped', text: this.#text };
    return { kind: 'cut', text: this.#text, late, picture: streamPicture(this.#arrivals, true) };
  }
}
