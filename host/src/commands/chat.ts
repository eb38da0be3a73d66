import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { text as textOf } from 'node:stream/consumers';
import { CliError } from '../errors/cli-error.ts';
import { SERVER_OPTION } from '../served/ask-server.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { askModel, type ChatAnswer, type ChatServer, type ChatTurn, type ChatView } from './chat-answer.ts';

/** The exit code of a program that SIGINT ended. */
const INTERRUPTED = 130;

/** `svc chat [TEXT] [--route R | --model M] [--system TEXT] [--server URL] [--json]`: talks to a model through the gateway. */
export async function chat(args: string[]): Promise<void> {
  const options = {
    server: SERVER_OPTION,
    route: { type: 'string' },
    model: { type: 'string' },
    system: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = readArguments(args, options, [], ['TEXT']);
  const { server, route, model, system, json } = values;
  if (route !== undefined && model !== undefined) throw new CliError('use either --route or --model, not both', 2);
  const conversation = new Conversation({ server, model: model ?? route ?? 'default' }, system, json);
  const [given] = positionals;
  if (given === undefined && process.stdin.isTTY) return talk(conversation);
  const text = given ?? (await textOf(process.stdin)).trimEnd();
  if (text === '') throw new CliError('no text: add TEXT to the command, or pipe it to standard input', 2);
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const { status } = await conversation.ask(text, abort.signal);
  if (status !== 'completed') process.exitCode = status === 'stopped' ? INTERRUPTED : 1;
}

/** Asks at the terminal until Ctrl-D, or Ctrl-C outside an answer. */
async function talk(conversation: Conversation): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  let answering: AbortController | null = null;
  terminal.on('SIGINT', () => {
    if (answering === null) terminal.close();
    else answering.abort();
  });
  process.stderr.write(`${styled('dim', 'Press Ctrl-C to stop an answer, and again to quit.', process.stderr)}\n`);
  const closed = once(terminal, 'close').then(() => null);
  let last: ChatAnswer['status'] = 'completed';
  for (;;) {
    // In this order: a terminal that was closed during the answer refuses the question.
    const text = await Promise.race([closed, terminal.question(styled('bold', '> ', process.stderr))]);
    if (text === null) break;
    if (text.trim() === '') continue;
    answering = new AbortController();
    try {
      last = (await conversation.ask(text, answering.signal)).status;
    } catch (error) {
      // The person can correct the key of another terminal, or start the server, and ask again.
      if (!(error instanceof CliError)) throw error;
      last = 'error';
      process.stderr.write(`${styled('red', 'svc:', process.stderr)} ${error.message}\n`);
    }
    answering = null;
  }
  process.stderr.write('\n');
  if (last !== 'completed' && last !== 'stopped') process.exitCode = 1;
}

/** The messages so far. A request that was not answered is left out, so that it does not stop the next one again. */
export class Conversation {
  readonly #to: ChatServer;
  readonly #json: boolean;
  #turns: readonly ChatTurn[];

  constructor(to: ChatServer, system: string | undefined, json: boolean) {
    this.#to = to;
    this.#json = json;
    this.#turns = system === undefined ? [] : [{ role: 'system', content: system }];
  }

  /** Asks, and prints the answer. @throws {CliError} as {@link askModel} does */
  async ask(content: string, signal: AbortSignal): Promise<ChatAnswer> {
    const asked: ChatTurn[] = [...this.#turns, { role: 'user', content }];
    const view = new TextView(this.#json);
    const answer = await askModel(this.#to, asked, view, signal);
    if (answer.text !== '' && (answer.status === 'completed' || answer.status === 'stopped'))
      this.#turns = [...asked, { role: 'assistant', content: answer.text }];
    if (this.#json) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else view.end(answer);
    return answer;
  }
}

/** Text goes to stdout, everything about it to stderr. */
class TextView implements ChatView {
  readonly #isQuiet: boolean;
  #held = '';
  #atStart = true;

  constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet;
  }

  onText(piece: string): void {
    if (this.#isQuiet) return;
    const text = this.#held + piece;
    // The other half of a character may be in the next piece.
    const whole = text.isWellFormed() ? text : text.slice(0, -1);
    this.#held = text.slice(whole.length);
    this.#write(whole);
  }

  onPause(notice: string, run_id: string): void {
    if (!this.#isQuiet)
      this.#say(
        'yellow',
        `${notice}\nWaiting for the decision. To approve, run in another terminal: npx svc runs approve ${run_id}`,
      );
  }

  end({ status, run_id, reason, usage }: ChatAnswer): void {
    this.#write(this.#held);
    if (!this.#atStart) this.#write('\n');
    if (status !== 'completed') this.#say(status === 'stopped' ? 'yellow' : 'red', reason ?? status);
    const tokens = usage === null ? [] : [`${usage.input_tokens} → ${usage.output_tokens} tokens`];
    const about = [...(run_id === null ? [] : [`run ${run_id}`]), ...tokens].join('  ');
    if (about !== '') this.#say('dim', about);
  }

  #write(text: string): void {
    if (text === '') return;
    this.#atStart = text.endsWith('\n');
    process.stdout.write(
      text
        .split(/([\n\t])/)
        .map((part, n) => (n % 2 === 1 ? part : printable(part)))
        .join(''),
    );
  }

  #say(style: 'red' | 'yellow' | 'dim', text: string): void {
    if (!this.#atStart) this.#write('\n');
    const lines = text.split('\n').map((line) => styled(style, printable(line), process.stderr));
    process.stderr.write(`${lines.join('\n')}\n`);
  }
}
