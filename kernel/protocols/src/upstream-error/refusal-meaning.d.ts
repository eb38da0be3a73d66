import { type JsonValue, type ProviderErrorKind, type ProviderErrorOptions } from '@svc/contracts';
/** What is kept of an upstream's error: codes and numbers, none of its words. */
export type RefusalDetails = Pick<ProviderErrorOptions, 'code' | 'param' | 'context_length'>;
/** @property isNamed whether a code or a name says so much, and not only a sentence */
export interface Refusal {
    readonly details: RefusalDetails;
    readonly isNamed: boolean;
}
/** @param body of the refusal, as JSON or as it came. @param status undefined: of an error inside an answer. */
export declare function refusalDetails(body: JsonValue | undefined, status?: number): RefusalDetails;
/** As {@link refusalDetails}, with how it was said. */
export declare function refusalIn(body: JsonValue | undefined, status?: number): Refusal;
/** What a failure means to the gateway, where its upstream said more than a status. */
export declare function kindOfRefusal({ details, isNamed }: Refusal, status: number): ProviderErrorKind | undefined;
//# sourceMappingURL=refusal-meaning.d.ts.map