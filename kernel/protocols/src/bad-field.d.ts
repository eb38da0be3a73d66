import { type JsonObject, SvcError } from '@svc/contracts';
/** @param path as in `body/input/0/role` */
export declare function badField(path: string, what: string): SvcError;
/** @throws {SvcError} SVC-REQ-001 */
export declare function textAt(value: unknown, path: string): string;
/** @throws {SvcError} SVC-REQ-001 */
export declare function objectAt(value: unknown, path: string): JsonObject;
/** @throws {SvcError} SVC-REQ-001 */
export declare function arrayAt(value: unknown, path: string): readonly unknown[];
//# sourceMappingURL=bad-field.d.ts.map