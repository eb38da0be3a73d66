import { Type } from 'typebox';
import { nullable, text } from './parts.ts';

/** The pages, and what each one is for. */
export const PAGES = {
  showcase: 'Interactive demo page',
  approvals: 'Page for reviewing paused runs',
  runs: 'Page for finding and verifying runs',
  usage: 'Page about usage, costs and latency',
  admin: 'Page for administrators',
  docs: 'Page for reading and trying out this API',
} as const;
export type PageName = keyof typeof PAGES;
export const PAGE_NAMES = Object.keys(PAGES) as PageName[];

/** Pages to which a sign-in may return. */
export type PagePath = `/${PageName}`;
export const PAGE_PATHS = PAGE_NAMES.map((name) => `/${name}` as const);

export const PageSession = Type.Object(
  {
    caller: nullable(
      Type.Object({
        principal_id: text('Principal of the person.'),
        issuer: text('Issuer that verified the person.'),
        subject: text('Subject at that issuer.'),
      }),
      'The signed-in person. Null: no one is signed in.',
    ),
    csrf: nullable(
      Type.String(),
      'Token to send as `x-svc-csrf` with requests that change something. Null: no one is signed in.',
    ),
    issuers: Type.Array(Type.String(), { description: 'Issuers to sign in with, for `/auth/login`.' }),
  },
  { $id: 'PageSession', description: 'The signed-in person, and the issuers to sign in with.' },
);

export const SignedOut = Type.Object(
  {
    end_session_url: nullable(
      Type.String({ format: 'uri' }),
      'Address for signing out of the issuer as well. Null: the issuer has none, or no one was signed in.',
    ),
  },
  { $id: 'SignedOut', description: 'The session has ended.' },
);
