/** Why a command failed, as one line for people. The exit code is 1 (refused) or 2 (misused). */
export class CliError extends Error {
  readonly exit_code: 1 | 2;

  constructor(message: string, exit_code: 1 | 2 = 1) {
    super(message);
    this.name = 'CliError';
    this.exit_code = exit_code;
  }
}
