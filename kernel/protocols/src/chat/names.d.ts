/** Field names that may be shown in paths and events. Any other key was chosen by a caller or a model and is shown as a number. */
export declare const CHAT_NAMES: ReadonlySet<string>;
//# sourceMappingURL=names.d.ts.map