import type { JsonObject } from '@svc/contracts';
import { pluginDeps } from '@svc/runtime';
import { assertNetwork, isUnresolved } from '@svc/toolkit/network';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { isPrivateWay } from '../net/loopback.ts';
import type { Path } from './diagnostic.ts';
import { durationMs } from './duration.ts';
import { nearestName } from './nearest.ts';
import {
  type EmailTarget,
  type HttpTarget,
  type NoticeTarget,
  type QuietHours,
  TARGETS,
  TargetSchema,
} from './notice-targets.ts';
import { withSecrets } from './read-network.ts';
import type { ReadContext, Reader } from './reader.ts';
import { closed, duration } from './schema-parts.ts';

export const NoticesSchema = closed(
  {
    public_url: Type.String({
      pattern: '^https?://[^\\s/?#@|<>]+(/[^\\s?#|<>]*)?$',
      title: 'the address of the gateway for people, such as https://svc.example.org',
      description: 'Address at which people open the pages of this gateway. Messages link to it.',
    }),
    group_for: duration(
      'Minimum time between two messages about the same event. Events in between are reported together in one message.',
      '1m',
    ),
    budget_percent: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 80,
      description: 'Share of a budget, spent or reserved, at which `budget_low` is reported: once per budget and period.',
    }),
    exporter_lag_records: Type.Integer({
      minimum: 1,
      default: 1000,
      description: 'Undelivered ledger records at which `exporter_lagging` is reported: at most once an hour per exporter.',
    }),
    targets: Type.Array(TargetSchema, { minItems: 1, description: 'Receivers.' }),
  },
  {
    description:
      'Messages to people and services about events that need attention. They never contain text of requests or answers.',
  },
);

export interface NoticeSettings {
  readonly public_url: string;
  readonly group_ms: number;
  readonly budget_percent: number;
  readonly exporter_lag_records: number;
  readonly targets: readonly NoticeTarget[];
}

/** The section `notices`, with secrets resolved. */
export interface NoticesPart {
  /** Null: none. */
  readonly notices: NoticeSettings | null;
}

const SECTION = 'notices';

export const readNotices: Reader<NoticesPart> = async (section, context) => {
  if (section === undefined) return { notices: null };
  if (!Value.Check(NoticesSchema, section)) return null;
  const { report } = context;
  const { public_url, group_for, targets: written, ...rest } = section;
  if (!URL.canParse(public_url) || !isPrivateWay(new URL(public_url)))
    report.error('SVC-POL-001', [SECTION, 'public_url'], 'must use https, or http on a loopback address');
  const targets: NoticeTarget[] = [];
  for (const [index, target] of written.entries()) {
    const path = [SECTION, 'targets', index];
    if (written.findIndex(({ name }) => name === target.name) < index)
      report.error('SVC-POL-001', [...path, 'name'], 'another target has this name');
    const read = await readTarget(target, path, context);
    if (read !== null) targets.push(read);
  }
  return { notices: { ...rest, public_url: public_url.replace(/\/$/, ''), group_ms: durationMs(group_for), targets } };
};

async function readTarget(target: NoticeTarget, path: Path, context: ReadContext): Promise<NoticeTarget | null> {
  const { report, entries, directory } = context;
  for (const [index, route] of (target.routes ?? []).entries()) {
    const { names } = entries.routes;
    if (!names.includes(route))
      report.error('SVC-POL-002', [...path, 'routes', index], `unknown route ${route}`, { nearest: nearestName(route, names) });
  }
  if (target.quiet_hours !== undefined) lintQuietHours(target.quiet_hours, [...path, 'quiet_hours'], context);
  const given: JsonObject = { ...target };
  if (target.type === 'email') {
    const assertFit = (read: EmailTarget): void => assertMail(read, directory);
    return withSecrets(TARGETS.email, given, path, context, assertFit);
  }
  // Loaded on demand: its HTTP client takes memory.
  const { WebhookClient } = await import('@svc/toolkit/webhook');
  const assertFit = (read: HttpTarget): void => {
    assertNetwork(read, directory);
    const values = read.type === 'webhook' ? [read.url, read.secret, read.previous_secret] : [read.url];
    if (!values.some(isUnresolved))
      new WebhookClient({ ...read, max_response_bytes: 1 }, pluginDeps('notices', { directory })).open();
  };
  return withSecrets(TARGETS[target.type], given, path, context, assertFit);
}

/** @throws {Error} naming the key and the remedy */
function assertMail(target: EmailTarget, directory: string): void {
  const { tls, user, password } = target;
  assertNetwork(target, directory);
  if ((user === undefined) !== (password === undefined)) throw new Error('user and password: set both, or neither');
  if (tls === 'none' && password !== undefined)
    throw new Error('tls: must not be none with a password, which would be sent unencrypted; use starttls or implicit');
}

function lintQuietHours({ from, to, time_zone }: QuietHours, path: Path, { report }: Pick<ReadContext, 'report'>): void {
  if (from === to) report.error('SVC-POL-001', [...path, 'to'], 'must differ from `from`');
  try {
    new Intl.DateTimeFormat('en', { timeZone: time_zone });
  } catch {
    report.error('SVC-POL-001', [...path, 'time_zone'], 'unknown time zone', { expected: 'an IANA name such as Europe/Berlin' });
  }
}
