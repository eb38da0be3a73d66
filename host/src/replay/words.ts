import type { Change, GuardAct, LeftOut, NotAsked } from '@svc/runtime';
import type { Share } from './wilson.ts';

export const CHANGE_NAMES: Readonly<Record<Change, string>> = {
  newly_blocked: 'newly blocked',
  newly_paused: 'newly paused',
  newly_masked: 'newly masked',
  freed: 'freed',
};

export const LEFT_OUT_NAMES: Readonly<Record<LeftOut, string>> = {
  route_missing: 'the configuration has no such route',
  not_ended: 'not ended',
  not_kept: 'content not recorded, or expired',
  erased: 'content erased',
  gone: 'an earlier part of the conversation is no longer stored',
  unreadable: 'content unreadable: its key or its protocol plugin is missing, or it was altered',
  edited: 'content changed by an approver',
  undecided: 'failed before its guards had decided, or a guard failed',
};

export const NOT_ASKED_NAMES: Readonly<Record<NotAsked, string>> = {
  calls_service: 'it sends texts to a service',
  reserves: 'it reserves budget for model calls',
  retrieves: 'it retrieves documents',
};

/** `0.7 % to 2.1 %` */
export function interval({ low, high }: Share): string {
  return low === null || high === null ? '–' : `${short(low)} to ${short(high)} %`;
}

/** A percentage such as `0.067`, `5.0`, `10.4` or `100`: precise enough that the bounds of many runs differ. */
function short(part: number): string {
  const percent = 100 * part;
  if (percent === 0 || percent === 100) return String(percent);
  return percent >= 9.95 ? percent.toFixed(1) : percent.toPrecision(2);
}

/** A number of requests a day. */
export function aDay(number: number): string {
  return number >= 100 ? Math.round(number).toLocaleString('en') : Number(number.toPrecision(2)).toString();
}

/** `wires (wire) in ingress` */
export function actsText(acts: readonly GuardAct[]): string {
  return acts.map(({ stage, node, code }) => `${node === '' ? code : `${node} (${code})`} in ${stage}`).join(', ');
}
