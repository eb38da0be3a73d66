export { type Admit, collectRequest } from './collect.ts';
export { knownAnswer, knownBlock, withoutOurs } from './known-answer.ts';
export { assertKnownRoles } from './known-roles.ts';
export { LeftOut } from './left-out.ts';
export { define } from './member-home.ts';
export { concealed, revealed } from './opaque-values.ts';
export type { Payload, Scanned, Seen } from './payload.ts';
export { type Unrecordable, whyUnrecordable } from './recordable.ts';
export { collectAnswer, collectAsked } from './within-limits.ts';
