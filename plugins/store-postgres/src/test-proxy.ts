import { once } from 'node:events';
import { createServer, type Server, type Socket, connect as toServer } from 'node:net';

/**
 * `cut`: both sides lose the connection, after any message. `terminate`: the server ends the connection's backend after any statement, as an
 * administrator or a failover does.
 */
export type Fault = 'cut' | 'terminate';

interface Armed {
  /** Messages, or statements, until then. */
  left: number;
  readonly counts: (message: Buffer) => boolean;
  readonly strike: (sockets: Pair) => Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Statements that the server has not answered to their end; the beginning of a session is one. */
  unanswered: number;
  /** Called when there are none. */
  onIdle: () => void;
}

/** Types of messages that end a statement: Sync and Query. */
const ENDS: ReadonlySet<number> = new Set(Buffer.from('SQ'));
/** Type of the message by which the server says that a statement has ended: ReadyForQuery. */
const [ANSWERED] = Buffer.from('Z');

/** Splits what a client of PostgreSQL's protocol (version 3) sends into messages: the first has no type, only a length. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #first: boolean;

  constructor(of: 'client' | 'server') {
    this.#first = of === 'client';
  }

  take(data: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, data]);
    const messages: Buffer[] = [];
    for (;;) {
      const type = this.#first ? 0 : 1;
      if (this.#rest.length < type + 4) return messages;
      const length = type + this.#rest.readInt32BE(type);
      if (this.#rest.length < length) return messages;
      messages.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
      this.#first = false;
    }
  }
}

/** A proxy that breaks the connection after a given number of client messages. */
export class FaultyProxy {
  readonly url: string;
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  readonly #terminate: (port: number) => Promise<void>;
  #armed: Armed | null = null;
  #striking: Promise<void> = Promise.resolve();

  private constructor(url: string, listener: Server, terminate: (port: number) => Promise<void>) {
    this.url = url;
    this.#listener = listener;
    this.#terminate = terminate;
  }

  /** @param terminate ends the backend whose client has this port */
  static async before(url: string, terminate: (port: number) => Promise<void>): Promise<FaultyProxy> {
    const target = new URL(url);
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const own = new URL(url);
    own.host = `127.0.0.1:${address.port}`;
    const proxy = new FaultyProxy(own.href, listener, terminate);
    listener.on('connection', (client) => proxy.#join(client, toServer(Number(target.port), target.hostname)));
    return proxy;
  }

  /** So many messages (statements for `terminate`) pass, from 1 on, and the fault strikes the connection of the last. */
  arm(passing: number, fault: Fault): void {
    const strike = async (pair: Pair): Promise<void> => {
      switch (fault) {
        case 'cut':
          pair.client.destroy();
          return;
        case 'terminate':
          if (pair.unanswered > 0) {
            await new Promise<void>((resolve) => {
              pair.onIdle = resolve;
            });
          }
          await this.#terminate(pair.server.localPort ?? 0);
      }
    };
    const counts = (message: Buffer): boolean => fault === 'cut' || ENDS.has(message[0] ?? 0);
    this.#armed = { left: passing, counts, strike };
  }

  /** Cancels the fault, or waits for one in progress. True if it had not happened. */
  async disarm(): Promise<boolean> {
    const waiting = this.#armed !== null;
    this.#armed = null;
    await this.#striking;
    return waiting;
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const pair: Pair = { client, server, unanswered: 1, onIdle: () => undefined };
    this.#pairs.add(pair);
    // Many small messages: each would wait for the acknowledgement of the one before.
    client.setNoDelay(true);
    server.setNoDelay(true);
    const messages = new Messages('client');
    const answers = new Messages('server');
    // One after another, since a fault takes its time.
    let forwarded = Promise.resolve();
    client.on('data', (data) => {
      for (const message of messages.take(data)) forwarded = forwarded.then(() => this.#forward(pair, message));
    });
    server.on('data', (data) => {
      if (client.writable) client.write(data);
      for (const answer of answers.take(data)) if (answer[0] === ANSWERED) pair.unanswered -= 1;
      if (pair.unanswered === 0) pair.onIdle();
    });
    client.on('error', () => undefined);
    server.on('error', () => undefined);
    // Not destroyed: what was forwarded still arrives, and what the server says to it goes nowhere.
    client.on('close', () => server.end());
    server.on('close', () => {
      pair.onIdle();
      client.destroy();
      this.#pairs.delete(pair);
    });
  }

  async #forward(pair: Pair, message: Buffer): Promise<void> {
    if (pair.client.destroyed || !pair.server.writable) return;
    if (ENDS.has(message[0] ?? 0)) pair.unanswered += 1;
    pair.server.write(message);
    if (this.#armed === null || !this.#armed.counts(message)) return;
    this.#armed.left -= 1;
    if (this.#armed.left > 0) return;
    const { strike } = this.#armed;
    this.#armed = null;
    this.#striking = strike(pair);
    await this.#striking;
  }
}
