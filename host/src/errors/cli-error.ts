/** Why a command could not do what it was asked, in one line for people. Ends the process with 1 (refused) or 2 (misused). */
export class CliError extends Error {
  readonly exit_code: 1 | 2;

  constructor(message: string, exit_code: 1 | 2 = 1) {
    super(message);
    this.name = 'CliError';
    this.exit_code = exit_code;
  }
}
