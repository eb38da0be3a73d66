export { deltaOf } from './chat/frames/whole-frames.ts';
export { chatUsage, usageToChat } from './chat/usage.ts';
export { ROLES } from './chat/vocabulary.ts';
export { CHAT } from './chat.ts';
export { arrayAt, badField, objectAt, paramOf, textAt } from './common/bad-field.ts';
export { pathOfChannel } from './common/channel-step.ts';
export { choiceIn, maxTokensIn, noteChatOnly, parametersIn } from './common/chat-fields.ts';
export { isCount } from './common/count.ts';
export { define } from './common/define.ts';
export { fieldTable } from './common/field-table.ts';
export { type FinishReason, finishReason, knownFinishReason } from './common/finish-reason.ts';
export { anyArguments, type FunctionCall, functionCallOf, objectArguments } from './common/function-call.ts';
export { isGatewayField, withoutGatewayFields } from './common/gateway-fields.ts';
export { GrowingText } from './common/growing-text.ts';
export { nameIn, objectsIn, present, says, textOrParts } from './common/json-shapes.ts';
export { Lost } from './common/lost.ts';
export { mediaType } from './common/media-type.ts';
export { bytesOf, HANDLE_PREFIX, imageLink, isHandle, isOpaque, sealedValue, storedAs } from './common/opaque.ts';
export { DATA_OF_TOOLS, markOf, ORIGIN_MARK, RETRIEVED, unknownOrigin } from './common/origin.ts';
export { fitsQuantity } from './common/quantity.ts';
export { TextPieces } from './common/text-pieces.ts';
export { inputText, itemsAt, namedTool, vendorsTool, withCalls } from './common/tools.ts';
export { parametersOf } from './common/traced.ts';
export { withholdFrom } from './common/withhold.ts';
export { words } from './common/words.ts';
export { MESSAGES } from './messages.ts';
export { isKnownName, isKnownParam, knownPath } from './names/known-path.ts';
export { type Protocols, protocolsWith } from './protocol-of.ts';
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
  unsupported,
} from './upstream-error/index.ts';
export { NO_TOKENS, readUsage } from './usage/read-usage.ts';
export { usageIn } from './usage/usage-in.ts';
