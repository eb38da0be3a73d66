import { type JsonObject, type RequestBody } from '@svc/contracts';
/** The fields of a response that say again what was asked for, each as OpenAI's schema wants it. Where one is too long, as if it was not asked. */
export declare function settingsOf(asked: RequestBody): JsonObject;
/** A response that has begun. */
export declare function begunResponse(asked: RequestBody, head: {
    readonly id: string;
    readonly created: number;
    readonly model: string;
}): JsonObject;
//# sourceMappingURL=settings.d.ts.map