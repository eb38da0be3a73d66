import {
  type AnswerFacts,
  type AnswerFrame,
  type FramePlace,
  type FrameReader,
  type FrameReading,
  isObject,
} from '@svc/contracts';
import { nameIn, objectsIn } from '../../common/json-shapes.ts';
import { malformed } from '../../upstream-error/index.ts';
import { ended, outcomeOf, statusAtEnd } from '../answer.ts';
import { failureIn } from '../failure.ts';
import { CALL_PIECES, formOfEvent, formOfPart, type TextForm } from './events.ts';
import { ItemReader } from './item-reader.ts';
import { framesOf, partOf } from './part.ts';

const NOTHING: FrameReading = { pieces: [], ends: [], repeats: [], part: null, signatures: [], isLast: false };

export class ResponsesReader implements FrameReader {
  isComplete = false;
  facts: AnswerFacts = { finish_reason: null, usage: null };
  readonly #items = new ItemReader();

  read(frame: AnswerFrame): FrameReading {
    const { type, error, response } = frame;
    if (type === 'error' || (type === undefined && error != null)) throw failureIn(isObject(error) ? error : frame);
    if (type === 'response.failed') throw failureIn(isObject(response) ? response.error : undefined);
    if (type === 'response.completed' || type === 'response.incomplete') return this.#last(type, response, frame);
    // Frames after the end are held back together with it.
    return { ...NOTHING, ...this.#readingOf(frame), ids: idsIn(frame), isLast: this.isComplete };
  }

  pieceOf(channel: string, text: string): AnswerFrame {
    return this.#items.channels.pieceOf(channel, text);
  }

  pathOf(channel: string): string {
    return this.#items.channels.pathOf(channel);
  }

  partOf = partOf;
  framesOf = framesOf;

  #readingOf(frame: AnswerFrame): Partial<FrameReading> {
    const { type } = frame;
    if (type === 'response.output_item.added') return this.#items.begin(frame);
    if (type === 'response.output_item.done') return this.#items.end(frame);
    const item = this.#items.of(frame);
    if (item?.isPart === true && item.isOpen) return { part: { name: item.name, isComplete: false } };
    if (CALL_PIECES.has(type)) throw malformed('a delta without a tool call');
    const grown = formOfEvent(type, '.delta');
    if (grown !== undefined) return this.#grow(frame, grown, ['delta'], grown.index);
    const ended = formOfEvent(type, '.done');
    if (ended !== undefined) return this.#items.said(frame, ended, [ended.field], frame[ended.index]);
    if (isObject(frame.part)) return this.#part(frame, frame.part.type);
    return this.#items.unknown(frame);
  }

  #part(frame: AnswerFrame, type: unknown): Partial<FrameReading> {
    const form = formOfPart(type);
    if (form === undefined) return {};
    const place = ['part', form.field];
    return nameIn(frame.type).endsWith('.done')
      ? this.#items.said(frame, form, place, frame[form.index])
      : this.#grow(frame, form, place, form.index);
  }

  #grow(frame: AnswerFrame, form: TextForm, place: FramePlace, index: TextForm['index']): Partial<FrameReading> {
    return { pieces: this.#items.grow(frame, form, place, frame[index]) };
  }

  #last(type: string, response: unknown, frame: AnswerFrame): FrameReading {
    if (!isObject(response)) throw malformed('an end without a response');
    if (this.isComplete) throw malformed('a second end');
    Object.assign(response, ended(response));
    this.isComplete = true;
    const output = objectsIn(response.output);
    const called = output.length > 0 ? output : this.#items.begun;
    this.facts = outcomeOf({ ...response, status: statusAtEnd(type, response), output: called });
    return { ...NOTHING, ...this.#items.finish(output), ids: idsIn(frame), isLast: true };
  }
}

/** The ids of items, because many frames repeat them. */
function idsIn({ item_id, item }: AnswerFrame): FramePlace[] {
  return [
    ...(typeof item_id === 'string' ? [['item_id']] : []),
    ...(isObject(item) && typeof item.id === 'string' ? [['item', 'id']] : []),
  ];
}
