export { CHAT } from './chat/protocol.ts';
export { reportedUsage } from './chat/usage.ts';
export { ROLES } from './chat/vocabulary.ts';
export { isCount } from './count.ts';
export { isKnownName, isKnownParam, knownPath } from './known-path.ts';
export { HANDLE_PREFIX, isHandle, isOpaque } from './opaque.ts';
export { fitsQuantity } from './quantity.ts';
