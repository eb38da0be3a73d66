import { type Static, Type } from 'typebox';

const usd = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });

const Price = Type.Object(
  {
    input: usd('USD per million input tokens.'),
    output: usd('USD per million output tokens.'),
    cached_input: Type.Optional(usd('USD per million input tokens served from the cache of the provider. Default: `input`.')),
  },
  { additionalProperties: false },
);
export type Price = Static<typeof Price>;

const Limit = Type.Object(
  {
    scope: Type.Enum(['principal', 'team', 'route', 'global'], {
      description:
        'Whose spend is added up: that of each principal, of each team, of each route, or of all that passes this pack. Runs of keys without a team have no limit of a team.',
    }),
    unit: Type.Enum(['tokens', 'usd', 'requests']),
    amount: Type.Number({
      minimum: 0,
      maximum: 1_000_000_000_000,
      description: 'Whole tokens or requests; USD may have six decimals.',
    }),
    period: Type.Enum(['minute', 'hour', 'day', 'month'], { description: 'Of the calendar, in UTC.' }),
  },
  { additionalProperties: false },
);
export type LimitOption = Static<typeof Limit>;
export type Scope = LimitOption['scope'];
export type Unit = LimitOption['unit'];
export type Period = LimitOption['period'];

export const Options = Type.Object(
  {
    limits: Type.Array(Limit, { minItems: 1, maxItems: 32 }),
    prices: Type.Record(Type.String({ minLength: 1 }), Price, {
      default: {},
      description: "By the provider's own name of the model. Needed for every model of a route whose budget is in USD.",
    }),
    default_output_tokens: Type.Integer({
      default: 4096,
      minimum: 1,
      maximum: 10_000_000,
      description:
        'Output tokens that are reserved for each answer where the caller sets no bound by `max_completion_tokens` or `max_tokens`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
