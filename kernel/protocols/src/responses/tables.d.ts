import type { FieldTable, Place } from '@svc/contracts';
export declare const RESPONSES_REQUEST: FieldTable;
export declare const RESPONSES_ANSWER: FieldTable;
export declare function inAnswer(pattern: string): Partial<Place>;
//# sourceMappingURL=tables.d.ts.map