import type { FieldTable } from '@svc/contracts';

/**
 * Escapes one step of a channel's name; dots join the steps. A key that an upstream chose must not look like several steps or like an index.
 * @param step string for a key, number for an index
 */
export function channelStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step
    .replaceAll('%', '%25')
    .replaceAll('.', '%2E')
    .replace(/^(?=#?\d+$)/, '%');
}

/** The path of a channel. Names that an upstream chose appear as `other`. */
export function pathOfChannel(channel: string, table: Pick<FieldTable, 'isKnownField'>): string {
  const names = channel.split('.').map((name) => name.replace(/^#(?=\d+$)/, ''));
  return names.map((name) => (/^\d+$/.test(name) || table.isKnownField(name) ? name : 'other')).join('.');
}
