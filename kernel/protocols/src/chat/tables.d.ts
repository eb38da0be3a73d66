import type { FieldTable } from '@svc/contracts';
export declare const CHAT_REQUEST: FieldTable;
export declare const CHAT_ANSWER: FieldTable;
//# sourceMappingURL=tables.d.ts.map