import type { FieldTable, Place } from '@svc/contracts';
import { MARKS, ORIGIN_MARK } from './origin.ts';
import { NO_WORDS } from './words.ts';

/** An unknown place contains text of unknown origin. */
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
  origin: 'unknown',
  originOf: null,
};

/** @param names field names that may appear in paths and events */
export function fieldTable(holder: string, names: ReadonlySet<string>, placeOf: (pattern: string) => Partial<Place>): FieldTable {
  return {
    holder,
    isKnownField: (key) => names.has(key) || key === ORIGIN_MARK,
    placeOf: (pattern) => {
      if (pattern.endsWith(`.${ORIGIN_MARK}`)) return { ...UNKNOWN, vocabulary: MARKS };
      return { ...UNKNOWN, ...placeOf(pattern) };
    },
  };
}
