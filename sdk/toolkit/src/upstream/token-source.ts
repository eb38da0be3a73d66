import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ProviderError } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { HEADER_VALUE } from './header-value.ts';

const run = promisify(execFile);

/** Maximum duration of a command. Cloud command-line tools take 1 to 3 s. */
const COMMAND_MS = 20_000;

/** Maximum length of a token, in bytes. */
const MAX_OUTPUT = 65_536;

/** Properties for the options schema of a provider whose credential is a token that is renewed outside the gateway. */
export const tokenOptions = {
  token_file: Type.Optional(
    Type.String({ minLength: 1, description: 'File with a bearer token, read again every `token_refresh_s`.' }),
  ),
  token_command: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Program and arguments that print a bearer token. Runs without a shell, every `token_refresh_s`.',
    }),
  ),
  token_refresh_s: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description:
        'How long a token is used, in seconds. Default: 10 for a file, 300 for a command. After a 401, it is read again at once.',
    }),
  ),
};

const Tokens = Type.Object(tokenOptions);

/** A bearer token from a file or a command. It is read again while the gateway runs. */
export class TokenSource {
  readonly #read: () => Promise<string>;
  readonly #refresh_ms: number;
  #token: Promise<string> | undefined;
  /** The last token that was read. */
  #current: string | undefined;
  #until = 0;
  #refused: string | undefined;

  private constructor(read: () => Promise<string>, refresh_s: number) {
    this.#read = read;
    this.#refresh_ms = refresh_s * 1_000;
  }

  /**
   * Undefined if neither option is set.
   * @throws {Error} with the key and the remedy
   */
  static of({ token_file, token_command, token_refresh_s }: Static<typeof Tokens>): TokenSource | undefined {
    if (token_file !== undefined && token_command !== undefined) {
      throw new Error('token_command: cannot be combined with token_file; remove one of them');
    }
    if (token_file !== undefined) return new TokenSource(() => readFile(token_file, 'utf8'), token_refresh_s ?? 10);
    if (token_command === undefined) {
      if (token_refresh_s !== undefined) throw new Error('token_refresh_s: has no effect without token_file or token_command');
      return undefined;
    }
    const [program = '', ...args] = token_command;
    return new TokenSource(() => output(program, args), token_refresh_s ?? 300);
  }

  /**
   * The current token. Concurrent calls share one read.
   * @throws {ProviderError} `configuration`, without any content of the file or output of the command; the signal's reason after an abort
   */
  token(signal: AbortSignal): Promise<string> {
    const now = performance.now();
    if (this.#token === undefined || now >= this.#until) {
      const token = this.#next();
      this.#token = token;
      this.#until = now + this.#refresh_ms;
      // After a failure, the next call tries again.
      token.then(
        (text) => {
          if (this.#token === token) this.#current = text;
        },
        () => {
          if (this.#token === token) this.#token = undefined;
        },
      );
    }
    return untilAborted(this.#token, signal);
  }

  /**
   * Call this when the upstream has refused a token. The next call reads a new one, unless that has happened already.
   * @returns whether a retry may help: false if the same token was read again after it had been refused
   */
  refused(token: string): boolean {
    const nextMayDo = token !== this.#refused || token !== this.#current;
    this.#refused = token;
    if (token === this.#current) {
      this.#current = undefined;
      this.#token = undefined;
    }
    return nextMayDo;
  }

  async #next(): Promise<string> {
    const text = await this.#read().catch(() => {
      throw unreadable('the token file or token command failed');
    });
    const token = text.trim();
    if (!new RegExp(HEADER_VALUE).test(token)) throw unreadable('a token with characters that a header cannot contain');
    return token;
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const done = await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
  signal.throwIfAborted();
  return done;
}

function unreadable(cause: string): ProviderError {
  return new ProviderError('configuration', { cost: 'none', code: 'authentication_error', cause });
}

/**
 * The output of a command. The command's input is empty. If it takes too long, it is killed and not waited for; its own child processes may continue.
 */
async function output(program: string, args: readonly string[]): Promise<string> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const ended = run(program, args, { maxBuffer: MAX_OUTPUT });
  const timer = setTimeout(() => {
    ended.child.kill('SIGKILL');
    reject(new Error('a token command that did not finish in time'));
  }, COMMAND_MS);
  // Otherwise, a command that prompts for input would wait until it is killed.
  ended.child.stdin?.end();
  try {
    return (await Promise.race([ended, late])).stdout;
  } finally {
    clearTimeout(timer);
  }
}
