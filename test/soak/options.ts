import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface Options {
  /** Length of the load. */
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
  /** The same seed gives the same requests and the same faults. */
  readonly seed: number;
  /** Where to create the temporary folder; undefined: the system's. */
  readonly folder: string | undefined;
  /** File for the report; null: none. */
  readonly json: string | null;
}

export const HELP = `npm run soak -- [options]

  --minutes N   length of the load (60)
  --seconds N   length of the load in seconds instead
  --rate N      requests per second (20)
  --seed N      repeats the requests and faults of an earlier run (random)
  --folder DIR  create the temporary folder here; it must be on a disk
  --json FILE   write the report to this file too
`;

/** Null: the user asked for help. @throws {Error} with what is wrong */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      seconds: { type: 'string' },
      rate: { type: 'string', default: '20' },
      seed: { type: 'string' },
      folder: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    seconds: values.seconds === undefined ? positive('--minutes', values.minutes) * 60 : positive('--seconds', values.seconds),
    rate: positive('--rate', values.rate),
    seed: values.seed === undefined ? randomInt(1, 2 ** 31) : positive('--seed', values.seed),
    folder: values.folder,
    json: values.json ?? null,
  };
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(Number.isFinite(value) && value > 0)) throw new Error(`${option}: ${text} is not a number above 0`);
  return value;
}
