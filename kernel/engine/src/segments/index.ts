export { type Admit, collectRequest } from './collect.ts';
export { editsAreValid } from './edits.ts';
export { isKnownField, isKnownParam } from './fields.ts';
export { knownAnswer, withoutOurs } from './known-answer.ts';
export { assertKnownRoles } from './known-roles.ts';
export { LeftOut } from './left-out.ts';
export type { Payload, Seen } from './payload.ts';
export { type Unrecordable, whyUnrecordable } from './recordable.ts';
export { collectAnswer, collectAsked } from './within-limits.ts';
