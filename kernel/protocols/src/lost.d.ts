/** What of a body has no place in another protocol, by paths of known names without indexes: callers choose names, too, and those are `other`. */
export declare class Lost {
    #private;
    /** @param known whether a name of a field or a type may be shown */
    constructor(known: (name: string) => boolean);
    /** In order of appearance. */
    get paths(): readonly string[];
    note(parent: string, name: string): void;
    /** Every field that says something. */
    noteAll(parent: string, fields: object): void;
}
//# sourceMappingURL=lost.d.ts.map