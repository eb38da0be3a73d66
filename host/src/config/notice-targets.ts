import { networkOptions } from '@svc/toolkit/network';
import { type Static, Type } from 'typebox';
import { closed, NODE_NAME } from './schema-parts.ts';

/** `paused`, `escalated`, `decision` and `expired` are events of runs; `guard_failed` is an event of the log. */
const NOTICE_EVENTS = ['paused', 'escalated', 'decision', 'expired', 'budget_low', 'guard_failed', 'exporter_lagging'] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

const time = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', title: 'a time such as 22:00', description });
const text = (description: string) => Type.String({ minLength: 1, description });
const secret = (description: string) => Type.String({ minLength: 1, writeOnly: true, description });
const address = (description: string) =>
  Type.String({ pattern: '^[^@\\s<>,;"]+@[^@\\s<>,;"]+$', title: 'an address such as ops@example.org', description });

const kind = <T extends string>(type: T) => Type.Literal(type, { description: 'Kind of the target.' });

const common = {
  name: Type.String({ ...NODE_NAME, description: 'Unique name, under which unsent notices are stored.' }),
  on: Type.Array(Type.Enum([...NOTICE_EVENTS]), {
    minItems: 1,
    uniqueItems: true,
    description:
      '`paused`: a run waits for a decision; `escalated`: nobody decided, so further approvers may; `decision`: it was decided; `expired`: nobody decided in time; `budget_low`; `guard_failed`: a guard gave no verdict; `exporter_lagging`.',
  }),
  routes: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      uniqueItems: true,
      description: 'Report only these routes. Budgets and exporters belong to no route, so they are always reported.',
    }),
  ),
  quiet_hours: Type.Optional(
    closed(
      {
        from: time('Start of the quiet hours, in local time.'),
        to: time('End of the quiet hours, in local time. If earlier than `from`, on the next day.'),
        time_zone: Type.String({ minLength: 1, default: 'UTC', description: 'An IANA name such as `Europe/Berlin`.' }),
      },
      { description: 'Daily quiet hours. When they end, one message reports everything that happened during them.' },
    ),
  ),
};

const allow_private = Type.Boolean({
  default: false,
  description: 'Allow private and loopback addresses, and http.',
});
const chat = (name: string) => ({
  ...common,
  url: secret(`URL of the incoming webhook of ${name}. It is a secret: write it as a secret:// reference.`),
  allow_private,
  ...networkOptions,
});

const Webhook = closed(
  {
    type: kind('webhook'),
    ...common,
    url: text('An https URL; with `allow_private` also an http URL.'),
    secret: secret(
      'Signs requests (Standard Webhooks): `whsec_` and the base64 of 24 to 64 random bytes. Write it as a secret:// reference.',
    ),
    previous_secret: Type.Optional(
      secret('A second secret that also signs, so that the receiver accepts either one during a rotation.'),
    ),
    allow_private,
    ...networkOptions,
  },
  { description: 'Signed requests to a service.' },
);
const Slack = closed({ type: kind('slack'), ...chat('Slack') }, { description: 'A Slack channel.' });
const Teams = closed(
  { type: kind('teams'), ...chat('Microsoft Teams (Workflows)') },
  { description: 'A Microsoft Teams channel.' },
);
const Email = closed(
  {
    type: kind('email'),
    ...common,
    host: Type.String({ pattern: '^[A-Za-z0-9.:_-]+$', title: 'a host name or an IP address', description: 'SMTP server.' }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'Default: 587, or 465 with `tls: implicit`.' })),
    tls: Type.Enum(['starttls', 'implicit', 'none'], {
      default: 'starttls',
      description: 'How the connection is encrypted. With `starttls`, nothing is sent if the server does not offer it.',
    }),
    user: Type.Optional(text('User name for the SMTP server. Default: no authentication.')),
    password: Type.Optional(secret('Password for the SMTP server, as a secret:// reference.')),
    from: address('Sender.'),
    to: Type.Array(address('Recipient.'), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: 'Recipients. Each gets a separate message. For more people, use the address of a mailing list.',
    }),
    ...networkOptions,
    proxy: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'HTTP proxy that permits `CONNECT` to the SMTP server. Default: none; the proxy variables of the environment are ignored.',
      }),
    ),
  },
  { description: 'E-mail over SMTP.' },
);

/** The schema of each type of target. */
export const TARGETS = { webhook: Webhook, slack: Slack, teams: Teams, email: Email };
export const TargetSchema = Type.Union([Webhook, Slack, Teams, Email], {
  title: 'a target with the type webhook, slack, teams or email',
});

export type EmailTarget = Static<typeof Email>;
export type HttpTarget = Static<typeof Webhook> | Static<typeof Slack> | Static<typeof Teams>;
/** A receiver of notices. */
export type NoticeTarget = HttpTarget | EmailTarget;
export type QuietHours = NonNullable<NoticeTarget['quiet_hours']>;
