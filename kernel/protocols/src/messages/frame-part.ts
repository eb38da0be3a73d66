import { type AnswerFrame, type FramePart, isObject, type JsonObject } from '@svc/contracts';
import { numberIn } from '../common/json-shapes.ts';
import { malformed } from '../upstream-error/index.ts';
import { textsBeside } from './beside-block.ts';
import { GrowingBlock } from './growing-block.ts';

/** The block in these frames, such as a tool call, as in a whole message. `events` has the frames' other texts: a client may read them too. */
export function partOf(frames: readonly AnswerFrame[]): FramePart {
  const { start, block, grown } = blockIn(frames);
  const beside = textsBeside(frames, block, grown.written);
  const { value } = grown;
  return { path: `content.${numberIn(start.index)}`, value: beside.length === 0 ? value : { ...value, events: beside } };
}

/** The frames of a block that guards have edited. The block is sent at once, with its input as one piece of JSON. */
export function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[] {
  const { start, block, grown } = blockIn(frames);
  const at = { index: start.index };
  const beside = textsBeside(frames, block, grown.written);
  const { events: _, ...edited } = value;
  const content_block = beside.length === 0 ? value : edited;
  const end = { type: 'content_block_stop', ...at };
  const ends = frames.some(({ type }) => type === end.type) ? [end] : [];
  if (grown.written === '') return [{ type: 'content_block_start', ...at, content_block }, ...ends];
  const { input } = value;
  const partial_json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return [
    { type: 'content_block_start', ...at, content_block: { ...content_block, input: {} } },
    { type: 'content_block_delta', ...at, delta: { type: 'input_json_delta', partial_json } },
    ...ends,
  ];
}

function blockIn(frames: readonly AnswerFrame[]): {
  readonly start: AnswerFrame;
  readonly block: JsonObject;
  readonly grown: GrowingBlock;
} {
  const start = frames.find(({ type }) => type === 'content_block_start');
  if (start === undefined || !isObject(start.content_block)) throw malformed('a content block that was never started');
  const grown = new GrowingBlock(start.content_block);
  for (const { delta } of frames) if (isObject(delta)) grown.take(delta);
  return { start, block: start.content_block, grown };
}
