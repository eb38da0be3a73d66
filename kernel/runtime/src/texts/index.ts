export { assertKnownRoles } from './known-roles.ts';
export { type Unrecordable, whyUnrecordable } from './recordable.ts';
