export { knownAnswer, knownBlock } from './chat/known-answer.ts';
export { LeftOut } from './chat/left-out.ts';
export { chatUsage, reportedUsage } from './chat/usage.ts';
export { ROLES } from './chat/vocabulary.ts';
export { CHAT } from './chat.ts';
export { isCount } from './common/count.ts';
export { type FunctionCall, functionCallOf } from './common/function-call.ts';
export { HANDLE_PREFIX, isHandle, isOpaque } from './common/opaque.ts';
export { fitsQuantity } from './common/quantity.ts';
export { TextPieces } from './common/text-pieces.ts';
export { MESSAGES } from './messages.ts';
export { isKnownName, isKnownParam, knownPath } from './names/known-path.ts';
export { protocolOf } from './protocol-of.ts';
export { RESPONSES } from './responses.ts';
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
