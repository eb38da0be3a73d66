import { Type } from 'typebox';

/** The fields that chain a record to the previous one. */
export const chained = {
  seq: Type.Integer({ minimum: 1, description: 'Position in the log, counted from 1 without gaps.' }),
  prev_hash: Type.String({ description: 'Hash of the previous record, `genesis` for the first.' }),
  hash: Type.String({
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'SHA-256 over the RFC 8785 canonical JSON of this record without `hash`.',
  }),
};
