/** The oldest supported Node, as in `engines` of package.json. */
const OLDEST = '22.19.0';

const numbers = (version: string): number[] => version.split('.').map(Number);

/**
 * The message for an unsupported Node. Null if it is supported.
 * @param version without a `v`, such as `20.11.1`
 * @param bin a folder with a newer Node; null: none is known
 */
export function tooOld(version: string, bin: string | null): string | null {
  const [at, oldest] = [numbers(version), numbers(OLDEST)];
  const different = at.findIndex((number, i) => number !== oldest[i]);
  if (different < 0 || (at[different] ?? 0) > (oldest[different] ?? 0)) return null;
  const remedy = bin === null ? 'install it' : `use the one in ${bin}: export PATH="${bin}:$PATH"`;
  return `Node ${OLDEST} or newer is required, but this is Node ${version}: ${remedy}`;
}
