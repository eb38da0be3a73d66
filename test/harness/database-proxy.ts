import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  /** If set, the server's next answer is held, and this resolves. */
  hold: PromiseWithResolvers<() => void> | null;
}

/** The network between a gateway and its database, which tests can break. */
export class DatabaseProxy {
  readonly #listener: Server;
  readonly #target: URL;
  readonly #lines = new Set<Line>();
  #silent = false;
  #watch: { readonly text: string; readonly held: PromiseWithResolvers<() => void> } | null = null;

  private constructor(listener: Server, target: URL) {
    this.#listener = listener;
    this.#target = target;
    listener.on('connection', (client: Socket) => this.#accept(client));
  }

  /** @param target URL of the database */
  static async start(target: string): Promise<DatabaseProxy> {
    const listener = createServer();
    const proxy = new DatabaseProxy(listener, new URL(target));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The database's URL through the proxy. */
  get url(): string {
    const through = new URL(this.#target);
    through.host = `127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
    return through.href;
  }

  cut(): void {
    for (const { client, server } of this.#lines) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Stops all traffic without refusing connections, as if packets were lost. */
  silence(): void {
    this.#silent = true;
    for (const line of this.#lines) pause(line);
  }

  /** Lets traffic through again, starting with what was held back. */
  speak(): void {
    this.#silent = false;
    for (const line of this.#lines) resume(line);
  }

  /** Holds the server's answer to the next connection that sends this text. Resolves when it is held, to a function that releases it. */
  holdAnswerTo(text: string): Promise<() => void> {
    const held = Promise.withResolvers<() => void>();
    this.#watch = { text, held };
    return held.promise;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#listener.close(resolve));
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const line: Line = { client, server, hold: null };
    this.#lines.add(line);
    client.on('data', (bytes) => {
      if (this.#watch !== null && bytes.includes(this.#watch.text)) {
        line.hold = this.#watch.held;
        this.#watch = null;
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (line.hold === null) return void client.write(bytes);
      pause(line);
      server.unshift(bytes);
      line.hold.resolve(() => resume(line));
      line.hold = null;
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on('end', () => to.end());
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => {
        if (to.closed) this.#lines.delete(line);
      });
    }
    if (this.#silent) pause(line);
  }
}

function pause({ client, server }: Line): void {
  client.pause();
  server.pause();
}

function resume({ client, server }: Line): void {
  client.resume();
  server.resume();
}
