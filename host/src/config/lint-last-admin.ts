import type { Report } from './report.ts';

interface Auth {
  readonly keys: readonly { readonly roles: readonly string[] }[];
  readonly issuers: readonly { readonly roles: { readonly map: Readonly<Record<string, readonly string[]>> } }[];
}

const MESSAGE =
  'no key or issuer in this file gives the role admin: only a key that was created at run time can still change the gateway';

/** SVC-POL-009: a change to a running server that removes the last entry with the role admin from the file. */
export function lintLastAdmin(auth: Auth, in_force: Auth | undefined, report: Report): void {
  if (in_force !== undefined && hasAdmin(in_force) && !hasAdmin(auth)) report.warning('SVC-POL-009', ['auth', 'keys'], MESSAGE);
}

function hasAdmin({ keys, issuers }: Auth): boolean {
  return [...keys.map(({ roles }) => roles), ...issuers.flatMap(({ roles }) => Object.values(roles.map))].some((roles) =>
    roles.includes('admin'),
  );
}
