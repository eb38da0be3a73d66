import { type BridgedProtocol } from '@svc/contracts';
/** Anthropic's Messages API. */
export declare const MESSAGES: BridgedProtocol;
//# sourceMappingURL=protocol.d.ts.map