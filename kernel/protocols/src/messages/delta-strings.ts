import { type FramePlace, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { channelStep } from '../common/channel-step.ts';
import { isOpaque } from '../common/opaque.ts';
import { MESSAGES_FRAME } from './tables.ts';

/** A string in a delta. `name` is its place in the block, such as `text`. */
export interface DeltaString {
  readonly name: string;
  readonly place: FramePlace;
}

/** The strings of a delta that may be pieces of longer texts. Words of the protocol and values that only the vendor reads are not included. */
export function stringsIn(delta: JsonObject): readonly DeltaString[] {
  const strings = [...found(delta, ['delta'], 'delta')];
  // A citation always arrives whole.
  const isWhole = delta.type === 'citations_delta' && isObject(delta.citation);
  return isWhole ? strings.filter(({ place }) => place[1] !== 'citation') : strings;
}

/** The strings in the start of a block, with the names that deltas would give them. */
export function stringsOfBlock(block: JsonObject): readonly DeltaString[] {
  return [...found(block, ['content_block'], 'content_block')];
}

function* found(value: JsonValue, place: FramePlace, pattern: string): Generator<DeltaString> {
  if (typeof value === 'string') {
    if (value !== '' && !(MESSAGES_FRAME.placeOf(pattern).isSealed && isOpaque(value)))
      yield { name: place.slice(1).map(channelStep).join('.'), place };
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* found(item, [...place, at], `${pattern}.*`);
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value))
      if (key !== 'type') yield* found(member, [...place, key], `${pattern}.${MESSAGES_FRAME.isKnownField(key) ? key : '?'}`);
  }
}
