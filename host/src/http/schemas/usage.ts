import { Type } from 'typebox';
import { nullable } from './parts.ts';

export const GROUPS = ['key', 'team', 'principal', 'route', 'model', 'session', 'client', 'user'] as const;

const count = (description: string) => Type.Integer({ minimum: 0, description });

const milliseconds = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}, in milliseconds, accurate to 5 %.` });

const sums = {
  requests: count('All runs, including those that called no model.'),
  blocked: count('Runs that a guard blocked.'),
  runs: count('Runs that called a model.'),
  input_tokens: count('Input tokens of all attempts.'),
  output_tokens: count('Output tokens of all attempts.'),
  usd: Type.Number({ minimum: 0, description: 'Cost in US dollars of the runs whose models have prices.' }),
  unpriced_runs: count('Number of runs that `usd` leaves out because they have no price.'),
  partial_runs: count(
    'Number of runs that may have used more than is known, because an attempt was cut off or its process died.',
  ),
  latency_ms: nullable(
    Type.Object(
      { p50: milliseconds('The median'), p95: milliseconds('The 95th percentile') },
      { description: 'From the request to the end of the last attempt.' },
    ),
    'From the request to the end of the last attempt, for runs that needed no approval. Null: there are none.',
  ),
};

const Group = Type.Object(
  {
    name: nullable(Type.String(), 'Key id, team, principal, route, model, session, client or user; null: runs that have none.'),
    principal_id: Type.Optional(
      Type.String({
        description:
          'Principal of a session or user. Sessions or users with the same name but different principals are separate groups.',
      }),
    ),
    ...sums,
    intervals: Type.Optional(
      Type.Array(
        Type.Object({
          since: Type.String({ format: 'date-time', description: 'Beginning of the hour or day in UTC.' }),
          ...sums,
        }),
        {
          description: 'The sums by hour or day, oldest first, without empty periods. Only with `interval`.',
        },
      ),
    ),
  },
  { description: 'Sums of one group.' },
);

export const Usage = Type.Object(
  {
    since: Type.String({ format: 'date-time', description: 'Lower bound of `created_at`.' }),
    until: nullable(Type.String({ format: 'date-time' }), 'Upper bound of `created_at`, exclusive; null: none.'),
    group_by: Type.Enum([...GROUPS], { description: 'The field that the sums are grouped by.' }),
    prices: nullable(
      Type.Object(
        {
          catalogue: Type.String({ description: 'Package of the catalogue.' }),
          version: Type.String({ description: 'Version of the catalogue.' }),
        },
        { description: 'The current price catalogue.' },
      ),
      'The current price catalogue. Null: none. The cost of a run is computed with the prices at that time; its evidence names the catalogue.',
    ),
    groups: Type.Array(Group, { description: 'Groups with the most tokens first.' }),
  },
  { $id: 'Usage', description: 'Usage of runs.' },
);
