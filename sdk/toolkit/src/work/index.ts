/** Tools for guards whose work takes long: it can be done in turns on the event loop, or in a thread. */
export { finished, inTurns, type Steps, soon, Turns } from '@svc/contracts';
export { type Finding, type Findings, type FindPlaces, findPlaces, inThread } from './find-places.ts';
export type { SeenSegment } from './packed-segments.ts';
export { MAX_PIECES, type Place } from './places.ts';
export { inSlices, slices } from './slices.ts';
export { weighsAtMost } from './weight.ts';
