import type { Job, Outcome, Seen } from './job.ts';
import { ask, type Started } from './processes.ts';
import { LAST_EVENT, PATHS, type Protocol, questionOf } from './protocols.ts';
import type { Target, UpstreamModel } from './target.ts';

/** About 500 characters: a short system prompt and a question. */
const SYSTEM =
  'You are an assistant of a bank. Answer in plain English and in no more than three sentences. If you do not know, say so. Never give advice on investments.';
const QUESTION =
  'A customer asks how long a payment to another country takes, what it costs, and whether it can be called back once it has been sent. Write an answer that the branch can send as it stands, with a friendly beginning and the address of the help page at its end.';
/** Number of callers. Additional connections share them. */
const CALLERS = 32;

/** A request in the form that a target accepts. */
export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param more a question to use instead of the usual one */
export function askedOf(
  target: Target,
  { model, protocol = 'chat', caller = 0, stream = model !== 'whole', more = '' }: Question,
): Asked {
  const question = questionOf(protocol, SYSTEM, `${QUESTION} ${more}`);
  const body = JSON.stringify({ model: target.model(model, protocol), ...question, ...(stream && { stream }) });
  return { path: PATHS[protocol], headers: { 'content-type': 'application/json', ...target.headers(protocol, caller) }, body };
}

interface Question {
  readonly model: UpstreamModel;
  readonly protocol?: Protocol;
  readonly caller?: number;
  readonly stream?: boolean;
  readonly more?: string;
}

function requestOf({ path, headers, body }: Asked): string {
  const fields = { host: '127.0.0.1', 'content-length': Buffer.byteLength(body), ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}

type Measure = Pick<Job, 'connections' | 'lead_in_ms' | 'until'> & Pick<Question, 'protocol'>;

/** The process that generates the load. */
export class Load {
  readonly #process: Started;

  constructor(process: Started) {
    this.#process = process;
  }

  /** @throws {Error} if a connection failed */
  async run(target: Target, model: UpstreamModel, { protocol = 'chat', ...job }: Measure): Promise<Seen> {
    const callers = Array.from({ length: Math.min(job.connections, CALLERS) }, (_, caller) => caller);
    const whole: Job = {
      ...job,
      ports: target.instances.map(({ port }) => port),
      pids: target.instances.map(({ pid }) => pid),
      requests: callers.map((caller) => requestOf(askedOf(target, { model, protocol, caller }))),
      last_event: LAST_EVENT[protocol],
    };
    const outcome = await ask<Outcome>(this.#process, whole);
    if (!outcome.ok) throw new Error(`${target.name}: ${outcome.reason}`);
    return outcome.seen;
  }
}
