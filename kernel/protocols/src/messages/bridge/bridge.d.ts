import type { Bridge } from '@svc/contracts';
/** The Messages API to and from the chat format. */
export declare const MESSAGES_BRIDGE: Bridge;
//# sourceMappingURL=bridge.d.ts.map