import { Type } from 'typebox';
import { closed, nullable, open, ref, text } from './parts.ts';

const json = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
const ticket = text('Opaque. Send it back with the response of the authenticator, within 5 minutes.');

/** For a browser that asks an authenticator. */
export const ceremony = {
  options: json('Options of `navigator.credentials`, as JSON (WebAuthn Level 3).'),
  ticket,
};

const credentialOf = (response: string) =>
  Type.Object(
    {
      id: text('Credential id, base64url.'),
      rawId: text('The same as `id`.'),
      type: Type.Literal('public-key', { description: 'Always `public-key`.' }),
      response: json(response),
    },
    { ...open, description: 'As `PublicKeyCredential.toJSON()` returns it.' },
  );

export const PasskeyCeremony = Type.Object(ceremony, {
  $id: 'PasskeyCeremony',
  description: 'What a browser needs to create a passkey.',
});

export const CreatedCredential = Type.Object(
  { ticket, credential: credentialOf('With `clientDataJSON` and `attestationObject`, base64url.') },
  { ...closed, $id: 'CreatedCredential', description: 'A passkey that a browser has created.' },
);

export const PasskeyResponse = Type.Object(
  { ticket, credential: credentialOf('With `authenticatorData`, `clientDataJSON` and `signature`, base64url.') },
  {
    ...closed,
    $id: 'PasskeyResponse',
    description: 'The signature of the statement of `POST /v1/runs/{run_id}/statement`.',
  },
);

export const Passkey = Type.Object(
  {
    id: text('Credential id, base64url.'),
    principal_id: text('Principal that registered it.'),
    issuer: text('Issuer that verified the person.'),
    subject: text('Subject at that issuer.'),
    algorithm: Type.Integer({ description: 'COSE algorithm: -7 is ES256, -8 EdDSA, -257 RS256.' }),
    rp_id: text('Domain that the passkey is bound to.'),
    created_at: Type.String({ format: 'date-time', description: 'When it was registered.' }),
    removed_at: nullable(Type.String({ format: 'date-time' }), 'When it was removed. Null: it is valid.'),
  },
  { $id: 'Passkey', description: 'A passkey of a person.' },
);

export const PasskeyList = Type.Object(
  {
    origin: nullable(Type.String(), 'The only origin at which passkeys work. Null: passkeys are not configured.'),
    passkeys: Type.Array(ref(Passkey), { description: 'Valid passkeys, in order of registration.' }),
  },
  { $id: 'PasskeyList', description: 'Passkeys of people.' },
);
