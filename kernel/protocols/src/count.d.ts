/** Whether it is a number of tokens. */
export declare function isCount(value: unknown): value is number;
//# sourceMappingURL=count.d.ts.map