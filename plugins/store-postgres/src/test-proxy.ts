import { once } from 'node:events';
import { createServer, type Server, type Socket, connect as toServer } from 'node:net';

/**
 * `cut`: both sides lose the connection after a message. `terminate`: the server ends the connection's backend after a statement, as in a failover or
 * when an administrator does so.
 */
export type Fault = 'cut' | 'terminate';

interface Armed {
  /** Number of messages or statements until the fault. */
  left: number;
  readonly counts: (message: Buffer) => boolean;
  readonly strike: (sockets: Pair) => Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** Number of statements without a complete response. The start of a session counts as one. */
  unanswered: number;
  /** Called when no statement is pending. */
  onIdle: () => void;
}

/** Message types that end a statement: Sync and Query. */
const ENDS: ReadonlySet<number> = new Set(Buffer.from('SQ'));
/** Message type that ends the response to a statement: ReadyForQuery. */
const [ANSWERED] = Buffer.from('Z');

/** Splits a client's data into messages of PostgreSQL's protocol version 3. The first message has no type, only a length. */
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

/** A proxy that breaks a connection after a given number of client messages. */
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

  /** @param terminate ends the backend of the client with this port */
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

  /** Lets this many messages (statements for `terminate`) pass, at least 1, then breaks the connection of the last one. */
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

  /** Cancels the fault, or waits for one in progress. Returns true if the fault had not happened. */
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
    // Messages are small, and without this each would wait for the acknowledgement of the previous one.
    client.setNoDelay(true);
    server.setNoDelay(true);
    const messages = new Messages('client');
    const answers = new Messages('server');
    // Messages are handled one after another, because a fault takes time.
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
    // The connection is not destroyed: forwarded data still arrives, and the server's responses are discarded.
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
