import { createHash } from 'node:crypto';
import type { GuardContext } from '@svc/sdk';
import type { CounterHold } from '@svc/sdk/guard';
import type { Amounts } from './estimate.ts';
import type { LimitOption, Period, Scope, Unit } from './options.ts';
import type { Calendar } from './period.ts';

/** A limit, as an integer in its unit: tokens, requests, calls, micro-dollars. */
export interface Limit {
  readonly scope: Scope;
  readonly unit: Unit;
  readonly period: Period;
  readonly amount: number;
  readonly calendar: Calendar;
  /** The limit's name in codes and findings. */
  readonly label: string;
}

const MICRO = 1_000_000;

/** @throws {Error} with the key and the remedy */
export function compileLimits(options: readonly LimitOption[], calendar: Calendar): Limit[] {
  const labels = new Set<string>();
  return options.map(({ scope, unit, amount, period }, index) => {
    const where = `limits.${index}`;
    const label = `${scope}-${unit}-${period}`;
    if (labels.has(label))
      throw new Error(`${where}: another entry already limits ${unit} per ${scope} and ${period}; remove one of them`);
    labels.add(label);
    if (period === 'session' && scope !== 'session') throw new Error(`${where}.period: session is only for the scope session`);
    const whole = unit === 'usd' ? Math.round(amount * MICRO) : amount;
    if (!Number.isInteger(whole)) throw new Error(`${where}.amount: must be a whole number of ${unit}`);
    if (!Number.isSafeInteger(whole)) throw new Error(`${where}.amount: must not be more than 9000000000 USD`);
    return { scope, unit, period, calendar, amount: whole, label };
  });
}

/** The properties of a run that decide which counters it uses. */
export type Subject = Pick<GuardContext, 'node' | 'principal_id' | 'team' | 'route' | 'session'>;

/** The limits that apply to a run. A limit for teams or sessions applies only if the run has a team or session. */
export function limitsFor(limits: readonly Limit[], { team, session }: Subject): readonly Limit[] {
  if (team !== null && session !== null) return limits;
  return limits.filter(({ scope }) => (scope !== 'team' || team !== null) && (scope !== 'session' || session !== null));
}

/** `ends`: the first millisecond after the counter's period, since the epoch. */
export interface Counter {
  readonly key: string;
  readonly ends: number;
}

/** How long a counter outlives its period: a reservation that is made at the very end and written later must still see earlier ones. */
const GRACE_MS = 60_000;
/** A session ends if it has no run for this long. */
const SESSION_IDLE_MS = 86_400_000;

export function expiryOf({ ends }: Counter): number {
  return ends + GRACE_MS;
}

/**
 * The counter of a limit for a run, in the period that contains a given time. The limit's amount is not part of the counter's name, so a changed
 * limit keeps the spend so far. The subject comes last, because only the last part may contain a slash.
 */
export function counterOf({ scope, unit, period, calendar }: Limit, subject: Subject, moment: number): Counter {
  const { name, end } = period === 'session' ? { name: 'all', end: moment + SESSION_IDLE_MS } : calendar.spanAt(period, moment);
  const whose = {
    principal: `/${subject.principal_id}`,
    team: `/${subject.team}`,
    route: `/${subject.route}`,
    session: `/${sessionOf(subject)}`,
    global: '',
  }[scope];
  return { key: `budget/${subject.node}/${scope}/${unit}/${period}/${name}${whose}`, ends: end };
}

/** A hash, which is short whatever the names are. Includes the principal, because two principals may use the same session id. */
function sessionOf({ principal_id, session }: Subject): string {
  return createHash('sha256')
    .update(JSON.stringify([principal_id, session]))
    .digest('hex');
}

/** Names a limit to operators. */
function labelOf({ scope, label }: Limit, { node, principal_id, team, route }: Subject): string {
  const whose = { principal: `/${principal_id}`, team: `/${team}`, route: `/${route}`, session: `/${principal_id}`, global: '' }[
    scope
  ];
  return `${node}/${label}${whose}`;
}

/** The amount that a run would reserve for each limit. */
export function holdsOf(limits: readonly Limit[], subject: Subject, amounts: Amounts, moment: number): CounterHold[] {
  return limits.map((limit) => {
    const counter = counterOf(limit, subject, moment);
    const [amount, expires_at, label] = [amounts[limit.unit], expiryOf(counter), labelOf(limit, subject)];
    return { key: counter.key, amount, limit: limit.amount, expires_at, label };
  });
}
