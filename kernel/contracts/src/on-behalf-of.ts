import { type Static, Type } from 'typebox';

const text = (description: string) => Type.String({ description });

export const onBehalfOf = Type.Object(
  {
    delegation_id: text('Id of the delegation.'),
    principal_id: text('The approver who made it.'),
    issuer: Type.Optional(text('OpenID Connect issuer that verified this person; absent for a key.')),
    subject: Type.Optional(text('Subject of this person at that issuer; absent for a key.')),
  },
  { description: 'The approver on whose behalf the principal decided. Absent: the principal decided on their own behalf.' },
);
export type OnBehalfOf = Static<typeof onBehalfOf>;
