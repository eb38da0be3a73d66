/**
 * The id of a tool call for the API: unchanged if it is accepted, else one that names each other character by its number, since ids of other
 * vendors may contain any. A call and its result get the same id, in every later turn too, and two calls never get one.
 */
export declare function callId(id: string): string;
//# sourceMappingURL=call-id.d.ts.map