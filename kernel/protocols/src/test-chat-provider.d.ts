import type { AnyProvider, BridgedProtocol, Provider } from '@svc/contracts';
/** A provider of another protocol as one of the chat format, as the engine asks it for callers of that. */
export declare function chatProvider(native: AnyProvider, { id, bridge }: BridgedProtocol): Provider;
//# sourceMappingURL=test-chat-provider.d.ts.map