import { isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import { isPrivateWay } from '../net/loopback.ts';
import type { Report } from './report.ts';
import { closed } from './schema-parts.ts';

export const PasskeysSchema = closed(
  {
    origin: Type.String({
      pattern: '^https?://[^\\s/?#@]+$',
      title: 'an origin, such as https://gateway.example.com',
      description: 'Origin of the pages, as browsers show it. `http://` only for `localhost`.',
    }),
    rp_id: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Domain that passkeys are bound to: the host of `origin` (the default), or a parent domain of it. If you change it, passkeys of the previous domain become invalid.',
      }),
    ),
  },
  { description: 'Passkeys that approvers use to sign decisions. Default: none.' },
);

/** The relying party of passkeys (WebAuthn). */
export interface PasskeySettings {
  readonly origin: string;
  readonly rp_id: string;
}

export function readPasskeys({ origin, rp_id }: Static<typeof PasskeysSchema>, report: Report): PasskeySettings {
  const path = ['auth', 'passkeys'];
  const url = URL.parse(origin);
  const host = url?.hostname ?? '';
  if (url === null || !isPrivateWay(url) || isIP(host.replace(/^\[|\]$/g, '')) !== 0)
    report.error(
      'SVC-POL-001',
      [...path, 'origin'],
      'must be https with a domain name, or http://localhost: browsers allow passkeys only there',
    );
  else if (url.origin !== origin) report.error('SVC-POL-001', [...path, 'origin'], `browsers write this origin as ${url.origin}`);
  const domain = rp_id ?? host;
  if (domain !== host && !host.endsWith(`.${domain}`))
    report.error('SVC-POL-001', [...path, 'rp_id'], 'must be the host of origin, or a parent domain of it');
  return { origin, rp_id: domain };
}
