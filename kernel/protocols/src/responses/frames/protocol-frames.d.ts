import { type ProtocolFrames } from '@svc/contracts';
/** Streamed responses. */
export declare const RESPONSES_FRAMES: ProtocolFrames;
//# sourceMappingURL=protocol-frames.d.ts.map