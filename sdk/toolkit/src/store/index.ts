/** For authors of stores: the parts of the contract that do not depend on where the data is kept. */
export { GENESIS } from '@svc/contracts';
export { assertChained } from './assert-chained.ts';
export { inBatches } from './batches.ts';
export {
  type CounterBook,
  dropReservation,
  reserve,
  settle,
  usedOf,
} from './counter-book.ts';
export {
  type Decided,
  type Decision,
  decide,
  evidencePointerOf,
  movesOf,
  outcomeOf,
  type Stored,
  type Winner,
} from './decide.ts';
export { identitiesOf } from './file-identity.ts';
export { makeFolder } from './make-folder.ts';
export { decodePosition, encodePosition, type PagePosition } from './page-position.ts';
export { type PlacedRecords, placeRecords, sessionKeysOf } from './place-records.ts';
export { type PreparedChange, prepareChange, rowText } from './prepared-change.ts';
export { replaceFile, syncFolder } from './replace-file.ts';
export { checkStoreName, isStoreName } from './store-names.ts';
