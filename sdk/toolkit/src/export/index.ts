/** For exporters: the exchange with a receiver, and forms of records that receivers of security events know. */
export { type EventFormat, formatted, jsonFormat, textFormat } from './formats.ts';
export { type HttpAnswer, Intake, intakeOptions, receiverUrl, refused } from './intake.ts';
export { epochMs, type LedgerEvent, type Level, ledgerEvent } from './ledger-event.ts';
export { LEVELS } from './levels.ts';
export { failureCode, NotAccepted, withinTime } from './not-accepted.ts';
export { batchOption, Parts } from './parts.ts';
export { VERSION } from './version.ts';
