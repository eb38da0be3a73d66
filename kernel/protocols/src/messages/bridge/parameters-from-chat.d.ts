import { type ChatRequest, type JsonObject, type JsonValue } from '@svc/contracts';
/** What a parameter adds to the body (nothing if it asks for the default), and whether it is honoured completely. */
interface Translated {
    readonly adds: JsonObject;
    readonly honoured: boolean;
}
/** Translates one parameter of the request. An unknown one is unsupported. */
export declare function parameterOf(name: string, value: JsonValue, request: ChatRequest): Translated;
export {};
//# sourceMappingURL=parameters-from-chat.d.ts.map