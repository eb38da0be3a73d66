/** Names of fields and types of Anthropic's Messages API that may be shown in paths and events. */
export declare const MESSAGES_NAMES: ReadonlySet<string>;
//# sourceMappingURL=names.d.ts.map