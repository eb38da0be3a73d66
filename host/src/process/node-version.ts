/** The oldest supported Node, as in `engines` of package.json. */
const OLDEST = '22.19.0';

const numbers = (version: string): number[] => version.split('.').map(Number);

/** The message for a Node that is too old; null if it is not. `version` has no `v`, such as `20.11.1`. */
export function tooOld(version: string): string | null {
  const [at, oldest] = [numbers(version), numbers(OLDEST)];
  const different = at.findIndex((number, i) => number !== oldest[i]);
  if (different < 0 || (at[different] ?? 0) > (oldest[different] ?? 0)) return null;
  return `this is Node ${version}, but ${OLDEST} or newer is required; npm start installs it, and npx svc in that folder uses it`;
}
