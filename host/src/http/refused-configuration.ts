import { SvcError } from '@svc/contracts';
import type { Diagnostic } from '../config/index.ts';

/** SVC-CONF-001, with what `svc lint` says of the file. Diagnostics hold no secrets. */
export class ConfigurationRefused extends SvcError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostics: readonly Diagnostic[]) {
    super('SVC-CONF-001', `${message}; nothing was changed`);
    this.diagnostics = diagnostics;
  }
}
