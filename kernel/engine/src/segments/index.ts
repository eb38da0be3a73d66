export { withoutOurs } from '@svc/protocols';
export { type Admit, collectRequest } from './collect.ts';
export { type FieldPattern, patternAt, rootPattern } from './field-pattern.ts';
export { assertKnownRoles } from './known-roles.ts';
export { GONE_SIGNATURE } from './member-home.ts';
export { concealed, revealed } from './opaque-values.ts';
export { Payload, type Scanned, type Seen } from './payload.ts';
export { type Unrecordable, whyUnrecordable } from './recordable.ts';
export { collectAnswer, collectAsked } from './within-limits.ts';
