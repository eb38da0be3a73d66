export { knownAnswer, knownBlock } from './chat/known-answer.ts';
export { LeftOut } from './chat/left-out.ts';
export { CHAT } from './chat/protocol.ts';
export { chatUsage, reportedUsage } from './chat/usage.ts';
export { ROLES } from './chat/vocabulary.ts';
export { isCount } from './count.ts';
export { exactDigits, parseExact } from './exact-json.ts';
export { type FunctionCall, functionCallOf } from './function-call.ts';
export { isKnownName, isKnownParam, knownPath } from './known-path.ts';
export { MESSAGES } from './messages/protocol.ts';
export { HANDLE_PREFIX, isHandle, isOpaque } from './opaque.ts';
export { protocolOf } from './protocol-of.ts';
export { fitsQuantity } from './quantity.ts';
export { RESPONSES } from './responses/protocol.ts';
export { TextPieces } from './text-pieces.ts';
export {
  endedEarly,
  kindOfRefusal,
  kindOfStatus,
  malformed,
  type RefusalDetails,
  refusalDetails,
  refusalIn,
  reportedError,
} from './upstream-error/index.ts';
