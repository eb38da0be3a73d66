import type { FieldTable, Place } from '@svc/contracts';
/** A place about which nothing is known: it holds text. */
export declare const UNKNOWN: Place;
/** @param names field names that may be shown in paths and events */
export declare function fieldTable(holder: string, names: ReadonlySet<string>, placeOf: (pattern: string) => Partial<Place>): FieldTable;
//# sourceMappingURL=field-table.d.ts.map