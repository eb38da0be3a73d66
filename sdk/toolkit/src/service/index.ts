/** For guards that ask an HTTP service about texts. */
export { type Piece, type TextBatch, textBatches } from './batches.ts';
export { counted } from './counted.ts';
export { logFailure } from './failure.ts';
export { GuardService, serviceOptions } from './guard-service.ts';
export { wrongPlace } from './wrong-place.ts';
