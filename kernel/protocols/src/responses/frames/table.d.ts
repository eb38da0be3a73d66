import type { FieldTable } from '@svc/contracts';
/** A frame: its places are those of the answer where they are the same thing. */
export declare const RESPONSES_FRAME: FieldTable;
//# sourceMappingURL=table.d.ts.map