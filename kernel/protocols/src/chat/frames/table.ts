import type { FieldTable, Place } from '@svc/contracts';
import { fieldTable } from '../../common/field-table.ts';
import { padding } from '../../common/opaque.ts';
import { CHAT_NAMES } from '../../names/chat.ts';
import { CHAT_ANSWER } from '../tables.ts';

const DELTA = /^choices\.\*\.delta(?=\.|$)/;

const OWN: Readonly<Record<string, Partial<Place>>> = {
  obfuscation: { opaqueKind: padding, origin: null },
  'choices.*.delta.tool_calls.*.index': { isQuantity: true, origin: null },
};

/** A chunk. The fields of a delta mean the same as in a message. */
export const CHAT_FRAME: FieldTable = fieldTable(
  'choices',
  CHAT_NAMES,
  (pattern) => OWN[pattern] ?? CHAT_ANSWER.placeOf(pattern.replace(DELTA, 'choices.*.message')),
);
