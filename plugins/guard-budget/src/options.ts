import { Rates } from '@svc/sdk/guard';
import { type Static, Type } from 'typebox';

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
    period: Type.Enum(['minute', 'hour', 'day', 'week', 'month'], {
      description: 'Of the calendar. Weeks begin on Monday (ISO 8601).',
    }),
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
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Whose days, weeks and months count: an IANA name such as `Europe/Berlin`. Minutes and hours are the same everywhere. Default: UTC.',
      }),
    ),
    prices: Type.Record(Type.String({ minLength: 1 }), Rates, {
      default: {},
      description:
        "By the provider's own name of the model, or by `<provider>/<model>`; a name that ends in `*` is for every model that begins so. They win over the section `prices` of the configuration.",
    }),
    unpriced: Type.Enum(['block', 'allow'], {
      default: 'block',
      description:
        'With a limit in USD: what happens on routes to a model without a price. `block`: lint and the server refuse the configuration, and a run is blocked. `allow`: its calls cost 0 USD.',
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
