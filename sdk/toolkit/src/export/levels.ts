import type { Level } from './ledger-event.ts';

/** A level in the scales of receivers. */
interface Scales {
  /** RFC 5424, table 2: 3 error, 4 warning, 5 notice, 6 informational. */
  readonly syslog: number;
  /** CEF: 0 to 3 low, 4 to 6 medium, 7 and 8 high. */
  readonly cef: number;
  /** OCSF `severity_id` and its caption. */
  readonly ocsf: readonly [id: number, caption: string];
}

export const LEVELS: Readonly<Record<Level, Scales>> = {
  info: { syslog: 6, cef: 1, ocsf: [1, 'Informational'] },
  notice: { syslog: 5, cef: 3, ocsf: [2, 'Low'] },
  warning: { syslog: 4, cef: 6, ocsf: [3, 'Medium'] },
  error: { syslog: 3, cef: 7, ocsf: [4, 'High'] },
};
