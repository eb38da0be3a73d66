import type { FieldTable, Place } from '@svc/contracts';
import { NO_WORDS } from './words.ts';

/** The meaning of an unknown place: text. */
const UNKNOWN: Place = {
  isToolArguments: false,
  isToolInput: false,
  isName: false,
  isOwn: false,
  isQuantity: false,
  vocabulary: NO_WORDS,
  idKind: null,
  json: null,
  opaqueKind: null,
  isSealed: false,
  isEssential: false,
  isSigned: false,
  isThinking: null,
  role: null,
};

/** @param names field names that may appear in paths and events */
export function fieldTable(holder: string, names: ReadonlySet<string>, placeOf: (pattern: string) => Partial<Place>): FieldTable {
  return {
    holder,
    isKnownField: (key) => names.has(key),
    placeOf: (pattern) => ({ ...UNKNOWN, ...placeOf(pattern) }),
  };
}
