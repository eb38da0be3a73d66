import type { JsonObject } from '@svc/sdk';
import type { AnswerFrame } from '@svc/sdk/protocol';
import { type EventReader, endedEarly, isObject, parseFrame, type SseEvent, TextPieces, wellFormed } from '@svc/toolkit/upstream';

/** Reads the frames of a streamed message. The stream is complete after `message_stop`. */
export class MessageEvents implements EventReader<AnswerFrame> {
  readonly #characters = new WholeCharacters();
  isEnded = false;

  take({ type, data }: SseEvent): readonly AnswerFrame[] {
    const frame = parseFrame(data);
    if (type === 'error' || frame.error != null) frame.type = 'error';
    else if (type !== 'message') frame.type ??= type;
    if (typeof frame.type !== 'string') return [];
    this.isEnded = frame.type === 'message_stop';
    const halves = frame.type === 'content_block_stop' ? this.#characters.end(frame) : [];
    return [...halves, wellFormed(this.#characters.of(frame)) as unknown as AnswerFrame];
  }

  end(): never {
    throw endedEarly();
  }
}

/** Moves half a character at the end of a piece to the next piece. */
class WholeCharacters {
  readonly #pieces = new TextPieces();
  /** The last delta of each text of a block, by field name. */
  readonly #deltas = new Map<unknown, Map<string, JsonObject>>();

  of(frame: JsonObject): JsonObject {
    const { index, delta } = frame;
    if (!isObject(delta)) return frame;
    const whole = { ...delta };
    for (const [name, value] of Object.entries(delta)) {
      if (name === 'type' || typeof value !== 'string') continue;
      whole[name] = this.#pieces.push(`${index} ${name}`, value);
      const known = this.#deltas.get(index) ?? new Map<string, JsonObject>();
      this.#deltas.set(index, known.set(name, delta));
    }
    return { ...frame, delta: whole };
  }

  /** Returns half characters that were never completed. */
  *end({ index }: JsonObject): Generator<AnswerFrame> {
    for (const [name, delta] of this.#deltas.get(index) ?? []) {
      const left = this.#pieces.end(`${index} ${name}`);
      if (left !== '') yield { type: 'content_block_delta', index, delta: { ...delta, [name]: left.toWellFormed() } };
    }
    this.#deltas.delete(index);
  }
}
