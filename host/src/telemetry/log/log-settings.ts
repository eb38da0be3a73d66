export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;

/** The least severe level that is logged, and the form of a line. `auto`: `pretty` on a terminal, `json` elsewhere. */
export interface LogSettings {
  readonly level: (typeof LOG_LEVELS)[number];
  readonly format: (typeof LOG_FORMATS)[number];
}

export const LOG_DEFAULTS: LogSettings = { level: 'info', format: 'auto' };
