import type { Job, Outcome, Seen } from './job.ts';
import { ask, type Started } from './processes.ts';
import type { Target, UpstreamModel } from './targets.ts';

/** About 500 characters: a short system prompt and a question. */
const MESSAGES = [
  {
    role: 'system',
    content:
      'You are an assistant of a bank. Answer in plain English and in no more than three sentences. If you do not know, say so. Never give advice on investments.',
  },
  {
    role: 'user',
    content:
      'A customer asks how long a payment to another country takes, what it costs, and whether it can be called back once it has been sent. Write an answer that the branch can send as it stands, with a friendly beginning and the address of the help page at its end.',
  },
];

/** Head and body of the request that asks a target for an answer of such a shape. */
function requestOf(target: Target, model: UpstreamModel): string {
  const stream = model !== 'whole';
  const body = JSON.stringify({ model: target.model(model), messages: MESSAGES, ...(stream && { stream }) });
  const fields = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...target.headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/chat/completions HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}

/** The process that makes the load. */
export class Load {
  readonly #process: Started;

  constructor(process: Started) {
    this.#process = process;
  }

  /** @throws when a connection failed. */
  async run(target: Target, model: UpstreamModel, job: Pick<Job, 'connections' | 'lead_in_ms' | 'until'>): Promise<Seen> {
    const whole: Job = {
      ...job,
      ports: target.instances.map(({ port }) => port),
      pids: target.instances.map(({ pid }) => pid),
      request: requestOf(target, model),
    };
    const outcome = await ask<Outcome>(this.#process, whole);
    if (!outcome.ok) throw new Error(`${target.name}: ${outcome.reason}`);
    return outcome.seen;
  }
}
