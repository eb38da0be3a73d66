/** Types of items, in requests and answers. */
export declare const ITEM_TYPES: ReadonlySet<string>;
export declare const RESPONSES_NAMES: ReadonlySet<string>;
export declare function isResponsesName(name: string): boolean;
//# sourceMappingURL=names.d.ts.map