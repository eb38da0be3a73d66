/** The roles of a key in the configuration that lists none. */
export const DEFAULT_ROLES = ['call', 'approve', 'audit', 'rag'] as const;
export const ROLES = [...DEFAULT_ROLES, 'admin'] as const;
/** A role of a key. */
export type Role = (typeof ROLES)[number];
