/** Without openssl, tests that need certificates are skipped. */
export declare const hasOpenssl: boolean;
export interface Pair {
    readonly cert: string;
    readonly key: string;
}
/** A certificate issuer made with openssl. */
export declare class TestIssuer {
    #private;
    /** Its own certificate, as PEM. */
    readonly ca: string;
    constructor(name?: string);
    /** Issues a certificate for localhost and 127.0.0.1, and returns it with its key, as PEM. */
    issue(name: string, ...more: string[]): Pair;
    dispose(): void;
}
//# sourceMappingURL=certificates.d.ts.map