import { type Static, Type } from 'typebox';
import { DURATION_PATTERN } from '../../config/duration.ts';
import { closed, nullable, reasonOnRecord, ref, text } from './parts.ts';

const time = (description: string) => Type.String({ format: 'date-time', description });
const to = Type.String({ pattern: '^[A-Za-z0-9._@:+-]{1,128}$', description: 'Principal of the delegate.' });

export const Delegate = Type.Object(
  {
    to,
    until: Type.Optional(time('When it ends, at most 90 days from now. Either `until` or `for` is required.')),
    for: Type.Optional(Type.String({ pattern: DURATION_PATTERN, description: 'How long, such as `8h` or `14d`.' })),
    reason: reasonOnRecord,
  },
  { ...closed, $id: 'Delegate', description: 'Lets a person decide in your place for a limited time.' },
);

export const Delegation = Type.Object(
  {
    id: text('Id of the delegation.'),
    from: text('Principal of the approver who made it.'),
    to,
    routes: nullable(
      Type.Array(Type.String()),
      'Routes that it is limited to: those of the key that made it. Null: all routes on which the approver may decide.',
    ),
    since: time('When it began.'),
    until: time('When it ends, or ended.'),
    reason: nullable(Type.String(), 'Reason for the delegation. Null: none was given.'),
  },
  { $id: 'Delegation', description: 'An approver lets another person decide in their place for a limited time.' },
);
export type Delegation = Static<typeof Delegation>;

export const DelegationList = Type.Object(
  { delegations: Type.Array(ref(Delegation), { description: 'In order of creation.' }) },
  { $id: 'DelegationList', description: 'Active delegations.' },
);

export const MayDecide = Type.Object(
  {
    approver: text('A principal, or a group as `group/NAME`.'),
    from: nullable(
      Type.String({ format: 'date-time' }),
      'When they may start to decide. May be in the future. Null: since the run was paused.',
    ),
    until: nullable(Type.String({ format: 'date-time' }), 'When this ends. Null: as long as the run is paused.'),
    on_behalf_of: nullable(Type.String(), 'Principal on whose behalf the approver decides. Null: on their own behalf.'),
    delegation_id: nullable(Type.String(), 'Id of the delegation. Null: on their own behalf.'),
  },
  { $id: 'MayDecide', description: 'Who may decide on a paused run, and from when.' },
);
