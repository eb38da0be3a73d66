import { CliError } from '../errors/cli-error.ts';

/** Two texts that differ in their second key. No request has these keys, so the probe cannot affect one. */
const EARLIER = '{"svc probe":1,"\\\\u0073vc pr":1}';
const LATER = '{"svc probe":1,"\\u0073vc probe 2":1}';

/**
 * In V8 of Node 23 to 26.12.0, a key with an escape can be replaced by a key of an earlier text: https://github.com/nodejs/node/issues/63785. The
 * earlier text may be the body of another caller.
 * @throws {CliError} if `parse` does that
 */
export function assertKeysKept(parse: (text: string) => unknown = JSON.parse): void {
  parse(EARLIER);
  if (Object.hasOwn(Object(parse(LATER)), 'svc probe 2')) return;
  throw new CliError(
    `Node ${process.versions.node} mixes up keys when it parses JSON, so one request could affect another: use Node 22 (22.19 or newer), or 26.12.1 or newer`,
  );
}
