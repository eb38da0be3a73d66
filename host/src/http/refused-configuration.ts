import { SvcError } from '@svc/contracts';
import type { Diagnostic } from '../config/index.ts';

/** SVC-CONF-001, with the diagnostics of `svc lint`. They contain no secrets. */
export class ConfigurationRefused extends SvcError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostics: readonly Diagnostic[]) {
    super('SVC-CONF-001', `${message}; nothing was changed`);
    this.diagnostics = diagnostics;
  }
}
