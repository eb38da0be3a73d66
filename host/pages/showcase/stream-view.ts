import type { Frame, Run } from '../shared/api-types.ts';
import { byId, say } from '../shared/dom.ts';
import { type Got, showPanes } from './exchange-view.ts';
import { type Arrival, streamPicture } from './stream-picture.ts';

/** An answer as it arrives: the text so far, and the arrival time of each piece. */
export class StreamView {
  readonly #message: string;
  readonly #begun = performance.now();
  readonly #arrivals: Arrival[] = [];
  #text = '';
  #cut: string | null = null;
  /** The error in the last frame; null if there is none. */
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
    // The only frame of a stopped request is a sentence about the stop.
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
