import { type Static, Type } from 'typebox';
import { onBehalfOf } from './on-behalf-of.ts';

const text = (description: string) => Type.String({ description });
const digestOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const base64url = (description: string) => Type.String({ pattern: '^[\\w-]+$', description: `${description} Base64url.` });

/** Maximum number of copies in a statement. */
export const MAX_SIGNED_COPIES = 100;

const copy = Type.Object(
  { digest: text('Digest of its pending payload.'), run_id: text('Run id of the copy.') },
  { additionalProperties: false },
);

/** What an approver signs with a passkey. The challenge is the SHA-256 of its RFC 8785 canonical JSON. */
export const DecisionStatement = Type.Object(
  {
    copies: Type.Array(copy, {
      maxItems: MAX_SIGNED_COPIES,
      description: 'The paused copies of the request that the decision also applies to, sorted by `run_id`.',
    }),
    decision: Type.Enum(['approved', 'denied'], { description: 'The decision.' }),
    digest: text('Digest of the pending payload.'),
    edited: digestOrNull('Digest of the content after the edits of the approver. Null: no edits.'),
    ledger: text('Id of the ledger with the evidence of the run.'),
    node: text('The node that paused the run.'),
    nonce: base64url('A random value, so that a statement cannot be signed before a gateway has created it.'),
    on_behalf_of: Type.Union([onBehalfOf, Type.Null()], {
      description: 'The approver on whose behalf the principal decides. Null: the principal decides on their own behalf.',
    }),
    principal_id: text('Principal of the approver.'),
    reason_digest: digestOrNull('SHA-256 of a salt and the reason. Null: no reason.'),
    run_id: text('Id of the run.'),
    time: text('When the gateway created the statement, ISO 8601.'),
    type: Type.Literal('svc.decision.v1', { description: 'Always `svc.decision.v1`.' }),
  },
  { additionalProperties: false, description: 'What the approver signed.' },
);
export type DecisionStatement = Static<typeof DecisionStatement>;

/** A statement with the signature of a passkey (WebAuthn). It can be verified without the gateway. */
export const SignedDecision = Type.Object(
  {
    authenticator_data: base64url('`authenticatorData` of the assertion.'),
    client_data: base64url('`clientDataJSON` of the assertion.'),
    public_key: base64url('Public key of the passkey in COSE form, as it was registered.'),
    rp_id: text('Relying party of the passkey.'),
    signature: base64url('Signature over `authenticator_data` and the SHA-256 of `client_data`.'),
    statement: DecisionStatement,
  },
  {
    additionalProperties: false,
    description: "Signature by the approver's passkey. Absent: the decision was not signed.",
  },
);
export type SignedDecision = Static<typeof SignedDecision>;

/** `change` of the operation `passkey.registered`, whose target is the credential id and whose actor is the person. */
export const PasskeyRegistered = Type.Object({
  algorithm: Type.Enum([-7, -8, -257]),
  public_key: Type.String(),
  rp_id: Type.String(),
});
export type PasskeyRegistered = Static<typeof PasskeyRegistered>;
