import { ProviderError } from '@svc/contracts';
/** What a response that failed says, by its code, or by what the sentence beside it means. Its text may quote the caller and goes nowhere. */
export declare function failureIn(error: unknown): ProviderError;
//# sourceMappingURL=failure.d.ts.map