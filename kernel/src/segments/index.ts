export { collectCompletion, collectRequest, leavesInScope, type Payload, toSegments } from './collect.ts';
export { applyEdits, editsAreValid } from './edits.ts';
export { isKnownField } from './fields.ts';
export { knownAnswer } from './known-answer.ts';
export { ArgumentsTooDeep } from './tool-arguments.ts';
