import { type Static, Type } from 'typebox';
import { chained } from './chained.ts';

/** The recorded actions of operators and of the process itself. */
export const OPERATION_ACTIONS = [
  'gateway.started',
  'configuration.applied',
  'key.created',
  'key.rotated',
  'key.revoked',
  'passkey.registered',
  'passkey.removed',
  'state.proposed',
  'state.changed',
  'delegation.created',
  'delegation.ended',
  'content.erased',
  'documents.erased',
  'documents.deleted',
] as const;
export type OperationAction = (typeof OPERATION_ACTIONS)[number];

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const digest = (description: string) =>
  Type.Union([Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }), Type.Null()], { description });

/** Written once per change to a running gateway. Every field is present. It never contains secrets or message text. */
export const Operation = Type.Object(
  {
    ...chained,
    record_type: Type.Literal('operation', { description: 'Always `operation`.' }),
    at: Type.String({ format: 'date-time', description: 'When the record was written.' }),
    action: Type.Enum([...OPERATION_ACTIONS], { description: 'What was done.' }),
    actor: Type.Object(
      {
        principal_id: nullable('Principal that requested the action; null: someone who controls the process or its files.'),
        issuer: nullable('Issuer that verified the person; null for a key.'),
        subject: nullable('Subject of the person at that issuer; null for a key.'),
      },
      { description: 'Who requested the action.' },
    ),
    target: Type.Object(
      { kind: Type.String({ description: 'Kind of the target.' }), name: Type.String({ description: 'Name of the target.' }) },
      { description: 'The target of the operation.' },
    ),
    before: digest('Digest of the previous state; null if there was none.'),
    after: digest('Digest of the new state; null if there is none.'),
    reason: nullable('Reason given by the operator.'),
    change: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The new values. Every gateway reads and applies them.',
    }),
  },
  { $id: 'Operation', description: 'Record of the operations log: a change, who made it, and why.' },
);
export type Operation = Static<typeof Operation>;

/** An operation without its time and chain fields. */
export type NewOperation = Omit<Operation, 'seq' | 'prev_hash' | 'hash' | 'record_type' | 'at'>;
