/** What `svc doctor` looks at, in the order in which it does. */
export const CHECKS = [
  'node',
  'configuration',
  'prices',
  'secrets',
  'memory',
  'disk',
  'runs-db',
  'key files',
  'providers',
  'issuers',
  'clock',
] as const;

/** The result of one check. It contains no secret. */
export interface Finding {
  readonly check: (typeof CHECKS)[number];
  /** `warning`: the gateway works, but worse than it could. `problem`: it does not start, or requests fail. */
  readonly status: 'ok' | 'warning' | 'problem';
  /** One line. */
  readonly message: string;
  /** What to do, as one line. Null: nothing. */
  readonly remedy: string | null;
}

type Check = Finding['check'];

export function ok(check: Check, message: string): Finding {
  return { check, status: 'ok', message, remedy: null };
}

export function warning(check: Check, message: string, remedy: string): Finding {
  return { check, status: 'warning', message, remedy };
}

export function problem(check: Check, message: string, remedy: string): Finding {
  return { check, status: 'problem', message, remedy };
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A number of bytes for people, such as `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const amount = bytes / 1024 ** power;
  return `${amount < 10 && power > 0 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[power]}`;
}
