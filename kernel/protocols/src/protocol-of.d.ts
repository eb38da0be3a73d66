import type { Protocol } from '@svc/contracts';
/** Null: there is none of this id. */
export declare function protocolOf(id: string): Protocol | null;
//# sourceMappingURL=protocol-of.d.ts.map