import { ProviderError, type ProviderErrorKind } from '@svc/contracts';
/** What an HTTP status other than 2xx means to the gateway. */
export declare function kindOfStatus(status: number): ProviderErrorKind;
/** The upstream sent what its protocol does not allow. `what` is a constant, never a part of the answer. */
export declare function malformed(what: string): ProviderError;
/** A stream broke off before the upstream had said that its answer is whole. */
export declare function endedEarly(): ProviderError;
/** The caller's request cannot be sent. `what` is a constant, never a part of the request. */
export declare function unsupported(what: string): ProviderError;
//# sourceMappingURL=failures.d.ts.map