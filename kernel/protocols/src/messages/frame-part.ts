import { type AnswerFrame, type FramePart, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { parseExact } from '../exact-json.ts';
import { malformed } from '../upstream-error/index.ts';

/** The block that came in these frames, such as a tool call, as it stands in a whole message. */
export function partOf(frames: readonly AnswerFrame[]): FramePart {
  const { index, block } = beginningIn(frames);
  const deltas = deltasIn(frames);
  const grown = deltas.filter(({ type }) => type !== 'input_json_delta').reduce(grownBy, block);
  const written = writtenIn(deltas);
  const value = written === '' ? grown : { ...grown, input: inputOf(written) };
  return { path: `content.${index}`, value };
}

/** The frames of a block that guards have edited: it comes at once, its input as JSON in one piece. */
export function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[] {
  const { start, block, index } = beginningIn(frames);
  const ends = frames.filter(({ type }) => type === 'content_block_stop');
  if (writtenIn(deltasIn(frames)) === '') return [{ ...start, content_block: value }, ...ends];
  const { input } = value;
  const partial_json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return [
    { ...start, content_block: { ...value, input: block.input ?? {} } },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } },
    ...ends,
  ];
}

function beginningIn(frames: readonly AnswerFrame[]) {
  const start = frames.find(({ type }) => type === 'content_block_start');
  if (start === undefined || !isObject(start.content_block)) throw malformed('a block that was not begun');
  return { start, index: Number(start.index), block: start.content_block };
}

function deltasIn(frames: readonly AnswerFrame[]): readonly JsonObject[] {
  return frames.flatMap(({ delta }) => (isObject(delta) ? [delta] : []));
}

function writtenIn(deltas: readonly JsonObject[]): string {
  return deltas.map(({ partial_json }) => (typeof partial_json === 'string' ? partial_json : '')).join('');
}

/** What a model wrote may be no JSON, as where its answer ended early: then it is a text. */
function inputOf(written: string): JsonValue {
  try {
    return parseExact(written) as JsonValue;
  } catch {
    return written;
  }
}

/** What else a delta brings. Texts go on, anything else is new. */
function grownBy(block: JsonObject, { type: _, ...delta }: JsonObject): JsonObject {
  const grown = Object.entries(delta).map(([name, value]) => {
    const before = block[name];
    return [name, typeof value === 'string' && typeof before === 'string' ? before + value : value];
  });
  return { ...block, ...Object.fromEntries(grown) };
}
