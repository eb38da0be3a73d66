import type { FieldTable } from '@svc/contracts';

/**
 * A step of a channel's name, whose steps are joined by dots. A key that an upstream chose is neither several steps, nor an index.
 * @param step a string is a key, a number an index
 */
export function channelStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step
    .replaceAll('%', '%25')
    .replaceAll('.', '%2E')
    .replace(/^(?=#?\d+$)/, '%');
}

/** The path of a channel, whose name is made of such steps. Names that an upstream chose are shown as `other`. */
export function pathOfChannel(channel: string, table: Pick<FieldTable, 'isKnownField'>): string {
  const names = channel.split('.').map((name) => name.replace(/^#(?=\d+$)/, ''));
  return names.map((name) => (/^\d+$/.test(name) || table.isKnownField(name) ? name : 'other')).join('.');
}
