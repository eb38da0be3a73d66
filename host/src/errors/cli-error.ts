/** Why a command failed, as one line for people. The exit code is 1 (refused), 2 (misused) or 4 (the data is broken). */
export class CliError extends Error {
  readonly exit_code: 1 | 2 | 4;

  constructor(message: string, exit_code: 1 | 2 | 4 = 1) {
    super(message);
    this.name = 'CliError';
    this.exit_code = exit_code;
  }
}
