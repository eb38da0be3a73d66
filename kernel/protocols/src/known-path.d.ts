/** Names of fields, of all protocols, that may be shown in events, headers and errors. */
export declare function isKnownName(name: string): boolean;
/** Whether a path such as `tools[0].function.parameters` names known fields only. */
export declare function isKnownParam(path: string): boolean;
/**
 * A path such as `tools.web_search` up to its first unknown name, which is `other`: a caller wrote the names of parameters and the types of
 * tools, and only known ones may appear in events.
 */
export declare function knownPath(path: string): string;
//# sourceMappingURL=known-path.d.ts.map