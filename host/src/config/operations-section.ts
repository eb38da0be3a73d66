import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Reader } from './reader.ts';
import { closed } from './schema-parts.ts';

export const OperationsSchema = closed(
  {
    two_person: Type.Boolean({
      default: false,
      description:
        'Whether lifting a restriction needs two operators: enabling a stopped target, and disabling a guard. Stopping needs only one.',
    }),
  },
  { default: {}, description: 'Changes that operators make while the gateway runs.' },
);

/** The section `operations`. */
export interface OperationsPart {
  /** May change while the gateway runs. */
  readonly operations: { readonly two_person: boolean };
}

export const readOperations: Reader<OperationsPart> = (section) => {
  if (!Value.Check(OperationsSchema, section)) return null;
  return { operations: section };
};
