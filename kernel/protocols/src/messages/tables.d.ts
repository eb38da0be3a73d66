import type { FieldTable } from '@svc/contracts';
/** An answer and a frame are of one message: no array holds several. */
export declare const MESSAGES_REQUEST: FieldTable;
export declare const MESSAGES_ANSWER: FieldTable;
export declare const MESSAGES_FRAME: FieldTable;
//# sourceMappingURL=tables.d.ts.map