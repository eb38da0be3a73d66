/** For authors of guards that mask findings: overlaps, streams, placeholders. */
export type { Finder, PlainText } from './finder.ts';
export type { Found } from './found.ts';
export { fromPart, fromSpaced, isSplit, type Joint, jointsOf, piecesIn, replacementOf } from './joints.ts';
export { type Mask, MaskedChannel, type Waits } from './masked-channel.ts';
export { type MaskingStreamOptions, maskingStream } from './masking-stream.ts';
export { withoutOverlaps } from './overlaps.ts';
export { placeEdits } from './place-edits.ts';
export { ENTITY_NAME, PLACEHOLDER, Placeholders, placeholderFinder } from './placeholders.ts';
export { inOwnText, type Reading, readings } from './readings.ts';
export { assertRestorable, RestoreOption } from './restore-option.ts';
export { isOwn, type MaskSettings, type Restore, RunMask } from './run-mask.ts';
export { type Search, searchWith } from './search.ts';
export { searchThrough } from './search-through.ts';
export { isCheckedLast, isStreamed } from './streamed-fields.ts';
export { VisibleText, visible } from './visible-text.ts';
