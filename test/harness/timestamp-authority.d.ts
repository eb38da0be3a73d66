/** Never true in CI. */
export declare const skipsTimestamps: boolean;
/** What is odd about an authority. */
export interface Oddities {
    /** Extensions of the signer's certificate. */
    readonly signer?: string;
    /** Extensions of the certificate between the root and the signer. */
    readonly between?: string;
    readonly root?: string;
    /** Arguments of `openssl req` for new keys. */
    readonly key?: readonly string[];
}
/** A time-stamp authority made with `openssl ts`: a root, a certificate below it, and a signer. */
export declare class TestTimestampAuthority {
    #private;
    /** The certificate of the root, in PEM. */
    readonly ca: string;
    /** What requests get at the moment. */
    mode: 'works' | 'fails' | 'hangs';
    /** Number of requests so far. */
    requests: number;
    constructor({ signer, between, root, key }?: Oddities);
    /** Path of a file with the certificate of the root. */
    get caFile(): string;
    /** The response to a request, both in DER. */
    reply(query: Uint8Array): Buffer;
    /** A response with any content (a TSTInfo in DER), which `openssl ts` would not sign. */
    sign(content: Uint8Array): Buffer;
    /** Serves requests. @returns the URL */
    listen(): Promise<string>;
    dispose(): void;
}
/** Whether `openssl ts -verify` accepts a response for these bytes. */
export declare function opensslAccepts(data: string | Uint8Array, reply: Uint8Array, ca: string): boolean;
//# sourceMappingURL=timestamp-authority.d.ts.map