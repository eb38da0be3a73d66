import { type Static, Type } from 'typebox';
import { cefOf } from './cef.ts';
import type { LedgerEvent } from './ledger-event.ts';
import { ocsfOf } from './ocsf.ts';

/** An option for exporters whose receiver takes JSON. */
export const jsonFormat = Type.Enum(['json', 'ocsf'], {
  default: 'json',
  description:
    'Format of a record. `json`: the record, byte for byte. `ocsf`: a summary as an OCSF event of the class API Activity.',
});

/** An option for exporters whose receiver takes lines of text. */
export const textFormat = Type.Enum(['json', 'cef', 'ocsf'], {
  default: 'json',
  description:
    'Format of a record. `json`: the record, byte for byte. `cef`: a summary as a line of the Common Event Format. `ocsf`: a summary as an OCSF event of the class API Activity.',
});
export type EventFormat = Static<typeof textFormat>;

/** An event in a format: one line. @param bytes the record as stored */
export function formatted(format: EventFormat, event: LedgerEvent, bytes: string): string {
  if (format === 'json') return bytes;
  return format === 'cef' ? cefOf(event) : JSON.stringify(ocsfOf(event));
}
