import { Type } from 'typebox';
import { nullable } from './parts.ts';

export const GROUPS = ['key', 'team', 'principal', 'route'] as const;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Group = Type.Object(
  {
    name: nullable(Type.String(), 'Key id, team, principal or route; null: runs that have none.'),
    runs: count('Runs that asked a model.'),
    input_tokens: count('Tokens of prompts, of all attempts.'),
    output_tokens: count('Tokens of answers, of all attempts.'),
    usd: Type.Number({ minimum: 0, description: 'US dollars, of the runs whose models have prices.' }),
    unpriced_runs: count('Runs without a price, which are not in `usd`.'),
    partial_runs: count('Runs that may have used more: an attempt was cut off, or its process died.'),
  },
  { description: 'Sums of one key, team, principal or route.' },
);

export const Usage = Type.Object(
  {
    since: Type.String({ format: 'date-time', description: 'Lower bound of `created_at`.' }),
    until: nullable(Type.String({ format: 'date-time' }), 'Upper bound of `created_at`, exclusive; null: none.'),
    group_by: Type.Enum([...GROUPS], { description: 'What the sums are of.' }),
    prices: nullable(
      Type.Object(
        {
          catalogue: Type.String({ description: 'Package of the catalogue.' }),
          version: Type.String({ description: 'Its version.' }),
        },
        { description: 'The catalogue of prices that is in force.' },
      ),
      'The catalogue of prices that is in force. Null: none. Past runs were booked by the prices of their time, which their evidence names.',
    ),
    groups: Type.Array(Group, { description: 'Those with the most tokens first.' }),
  },
  { $id: 'Usage', description: 'What runs used.' },
);
