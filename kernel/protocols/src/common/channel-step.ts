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
