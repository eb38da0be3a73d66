import { resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import type { ReadCertificate } from '../timestamps/certificate-chain.ts';
import { readRoots } from '../timestamps/roots.ts';
import type { Path } from './diagnostic.ts';
import { durationMs } from './duration.ts';
import type { Report } from './report.ts';
import { closed, duration } from './schema-parts.ts';

export const TimestampsSchema = closed(
  {
    url: Type.String({
      pattern: '^https?://',
      description: 'URL of a time-stamp authority (RFC 3161 over HTTP).',
    }),
    ca: Type.String({
      minLength: 1,
      description:
        "PEM file with the authority's root certificates. A token is accepted only if its certificate chain leads to one of them.",
    }),
    mode: Type.Enum(['best_effort', 'required'], {
      default: 'best_effort',
      description:
        '`best_effort`: failures are reported. `required`: new runs get 503 `SVC-STORE-001` while records have been without a token for longer than `max_age`.',
    }),
    every: duration('Time between two tokens. While no records are added, none is requested.', '1h'),
    max_age: duration('With `required`: how long records may be without a token. At least twice `every`.', '24h'),
  },
  { description: 'Time stamps (RFC 3161) for checkpoints of the ledger. Default: none.' },
);

/** The section `ledger.timestamps`. */
export interface TimestampSettings {
  readonly url: string;
  readonly roots: readonly ReadCertificate[];
  readonly every_ms: number;
  /** Null: nothing is refused. */
  readonly max_age_ms: number | null;
}

interface Context {
  readonly report: Report;
  readonly directory: string;
}

/** Reads the root certificates. `false` after an error, which is reported. */
export async function readTimestamps(
  section: Static<typeof TimestampsSchema> | undefined,
  { report, directory }: Context,
): Promise<TimestampSettings | null | false> {
  if (section === undefined) return null;
  const refuse = (path: Path, reason: string): false => {
    report.error('SVC-POL-001', ['ledger', 'timestamps', ...path], reason);
    return false;
  };
  const { url, ca, mode } = section;
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username + parsed.password + parsed.hash !== '')
    return refuse(['url'], 'must be a URL without credentials and fragment');
  const every_ms = durationMs(section.every);
  const max_age_ms = durationMs(section.max_age);
  if (max_age_ms < 2 * every_ms) return refuse(['max_age'], 'must be at least twice ledger.timestamps.every');
  const file = resolve(directory, ca);
  const roots = await readRoots(file);
  if (roots === null) return refuse(['ca'], `${file} cannot be read, or does not contain PEM certificates`);
  return { url, roots, every_ms, max_age_ms: mode === 'required' ? max_age_ms : null };
}
