import { type Protocol } from '@svc/contracts';
/** OpenAI's chat format, and the extensions of it that vendors share. */
export declare const CHAT: Protocol;
//# sourceMappingURL=protocol.d.ts.map