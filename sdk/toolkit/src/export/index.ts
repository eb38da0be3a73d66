/** For exporters: requests to a receiver, and record formats for receivers of security events. */
export { type EventFormat, formatted, jsonFormat, textFormat } from './formats.ts';
export { type HttpAnswer, Intake, intakeOptions, receiverUrl, refused } from './intake.ts';
export { epochMs, type LedgerEvent, type Level, ledgerEvent } from './ledger-event.ts';
export { LEVELS } from './levels.ts';
export { failureCode, NotAccepted, withinTime } from './not-accepted.ts';
export { batchOption, Parts } from './parts.ts';
export { VERSION } from './version.ts';
