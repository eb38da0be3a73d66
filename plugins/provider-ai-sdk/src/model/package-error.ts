import { ProviderError } from '@svc/sdk';

/** Why a package cannot be used. */
export type PackageFault =
  | 'not_installed'
  | 'import_failed'
  | 'no_factory'
  | 'several_factories'
  | 'factory_failed'
  | 'no_language_model'
  | 'wrong_specification';

/** The package, its options or its version is wrong. The operator must fix this. Nothing was sent. */
export class PackageError extends ProviderError {
  readonly fault: PackageFault;
  /** For the operator's log. Contains only constants and names from the configuration. */
  readonly remedy: string;

  constructor(fault: PackageFault, remedy: string) {
    super('configuration', { cost: 'none', cause: fault });
    this.fault = fault;
    this.remedy = remedy;
  }
}
