import { type AnswerFrame, type FramePart, isObject } from '@svc/contracts';
import { malformed } from '../upstream-error/index.ts';
import { GrowingBlock } from './growing-block.ts';

/** The block that came in these frames, such as a tool call, as it stands in a whole message. */
export function partOf(frames: readonly AnswerFrame[]): FramePart {
  const { start, grown } = blockIn(frames);
  return { path: `content.${Number(start.index)}`, value: grown.value };
}

/** The frames of a block that guards have edited: it comes at once, its input as JSON in one piece. */
export function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[] {
  const { start, block, grown } = blockIn(frames);
  const ends = frames.filter(({ type }) => type === 'content_block_stop');
  if (!grown.isWritten) return [{ ...start, content_block: value }, ...ends];
  const { input } = value;
  const partial_json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return [
    { ...start, content_block: { ...value, input: block.input ?? {} } },
    { type: 'content_block_delta', index: start.index, delta: { type: 'input_json_delta', partial_json } },
    ...ends,
  ];
}

function blockIn(frames: readonly AnswerFrame[]) {
  const start = frames.find(({ type }) => type === 'content_block_start');
  if (start === undefined || !isObject(start.content_block)) throw malformed('a block that was not begun');
  const grown = new GrowingBlock(start.content_block);
  for (const { delta } of frames) if (isObject(delta)) grown.take(delta);
  return { start, block: start.content_block, grown };
}
