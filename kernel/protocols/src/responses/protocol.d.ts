import type { Protocol } from '@svc/contracts';
/** OpenAI's Responses API. */
export declare const RESPONSES: Protocol;
//# sourceMappingURL=protocol.d.ts.map