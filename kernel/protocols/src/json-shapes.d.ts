import { type JsonObject } from '@svc/contracts';
/** The objects of a value that should be an array of objects. */
export declare function objectsIn(value: unknown): JsonObject[];
/** Without the members that are absent. */
export declare function present(fields: Readonly<Record<string, unknown>>): JsonObject;
/** Whether a value says something: null and what is empty say nothing. */
export declare function says(value: unknown): boolean;
//# sourceMappingURL=json-shapes.d.ts.map