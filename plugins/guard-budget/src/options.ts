import { Rates } from '@svc/sdk/guard';
import { type Static, Type } from 'typebox';

const Limit = Type.Object(
  {
    scope: Type.Enum(['principal', 'team', 'route', 'session', 'global'], {
      description:
        'What spend is summed over: each principal, team, route, or session of a principal, or (`global`) all requests that use this pack. Team limits do not apply to keys without a team, nor session limits to runs without a session.',
    }),
    unit: Type.Enum(['tokens', 'usd', 'requests', 'calls'], {
      description:
        '`requests` counts runs that pass this pack. `calls` counts billed model calls: none if another guard stops the run first, several if fallbacks are tried.',
    }),
    amount: Type.Number({
      minimum: 0,
      maximum: 1_000_000_000_000,
      description: 'Whole tokens, requests or calls; USD may have six decimals.',
    }),
    period: Type.Enum(['minute', 'hour', 'day', 'week', 'month', 'session'], {
      description:
        'A calendar period. Weeks begin on Monday (ISO 8601). `session` lasts as long as the session, which ends after 24 hours without a run; allowed only with the scope `session`.',
    }),
  },
  { additionalProperties: false },
);
export type LimitOption = Static<typeof Limit>;
export type Scope = LimitOption['scope'];
export type Unit = LimitOption['unit'];
export type Period = LimitOption['period'];
export type CalendarPeriod = Exclude<Period, 'session'>;

export const Options = Type.Object(
  {
    limits: Type.Array(Limit, { minItems: 1, maxItems: 32, description: 'The limits. A call must fit all of them.' }),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The time zone of days, weeks and months: an IANA name such as `Europe/Berlin`. Minutes and hours always use UTC. Default: UTC.',
      }),
    ),
    prices: Type.Record(Type.String({ minLength: 1 }), Rates, {
      default: {},
      description:
        "Prices by the provider's model name, or by `<provider>/<model>`. A name that ends in `*` applies to every model with that prefix. They take precedence over the section `prices` of the configuration.",
    }),
    unpriced: Type.Enum(['block', 'allow'], {
      default: 'block',
      description:
        'For a limit in USD: how to treat a model without a price. `block`: lint and the server refuse the configuration, and runs are blocked. `allow`: its calls cost 0 USD.',
    }),
    default_output_tokens: Type.Integer({
      default: 4096,
      minimum: 1,
      maximum: 10_000_000,
      description: 'Output tokens reserved for each answer if the caller sets neither `max_completion_tokens` nor `max_tokens`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
