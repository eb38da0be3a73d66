import { type Static, Type } from 'typebox';
import { chained } from './chained.ts';

/** What an operator, or the process itself, can do that is on record. */
export const OPERATION_ACTIONS = [
  'gateway.started',
  'configuration.applied',
  'key.created',
  'key.rotated',
  'key.revoked',
  'state.proposed',
  'state.changed',
  'content.erased',
  'documents.erased',
  'documents.deleted',
] as const;
export type OperationAction = (typeof OPERATION_ACTIONS)[number];

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const digest = (description: string) =>
  Type.Union([Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }), Type.Null()], { description });

/** Written once per change of what the gateway does while it runs. Every field is present. Never holds a secret or what people wrote. */
export const Operation = Type.Object(
  {
    ...chained,
    record_type: Type.Literal('operation', { description: 'Constant.' }),
    at: Type.String({ format: 'date-time', description: 'When it was written.' }),
    action: Type.Enum([...OPERATION_ACTIONS], { description: 'What was done.' }),
    actor: Type.Object(
      {
        principal_id: nullable('Who asked; null: whoever controls the process or its files.'),
        issuer: nullable('Who verified that person; null for a key.'),
        subject: nullable('The person, as the issuer names them; null for a key.'),
      },
      { description: 'Who did it.' },
    ),
    target: Type.Object(
      { kind: Type.String({ description: 'What sort of thing.' }), name: Type.String({ description: 'Which one.' }) },
      { description: 'What it was done to.' },
    ),
    before: digest('Of what it was before; null: there was none.'),
    after: digest('Of what it is after; null: there is none.'),
    reason: nullable('As the operator gave it.'),
    change: Type.Record(Type.String(), Type.Unknown(), { description: 'What it sets. Every gateway applies it from here.' }),
  },
  { $id: 'Operation', description: 'Record of the operations log: a change, who made it, and why.' },
);
export type Operation = Static<typeof Operation>;

/** An operation without its time and its place in the log. */
export type NewOperation = Omit<Operation, 'seq' | 'prev_hash' | 'hash' | 'record_type' | 'at'>;
