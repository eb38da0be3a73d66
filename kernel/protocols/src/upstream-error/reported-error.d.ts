import { type JsonValue, ProviderError } from '@svc/contracts';
/**
 * An error that an upstream reports inside an answer that began with status 200: its number is an HTTP status, else its code tells. What it cost
 * nobody knows.
 */
export declare function reportedError(error: JsonValue | undefined): ProviderError;
//# sourceMappingURL=reported-error.d.ts.map