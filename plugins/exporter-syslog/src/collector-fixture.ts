import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A received message, split as in RFC 5424. */
export interface Received {
  readonly priority: number;
  readonly timestamp: string;
  readonly hostname: string;
  readonly app_name: string;
  readonly process_id: string;
  readonly message_id: string;
  readonly sd_id: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Without its byte order mark. */
  readonly text: string;
  readonly bom: boolean;
}

const MESSAGE =
  /^<(\d{1,3})>1 (-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) \[([^ =\]"]{1,32})((?: [^ =\]"]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] (\uFEFF?)(.*)$/s;

/** Parses a message. @throws {Error} if it is not as in RFC 5424 */
export function parseMessage(bytes: Buffer): Received {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const found = MESSAGE.exec(text);
  if (found === null) throw new Error(`not a message: ${text.slice(0, 300)}`);
  const [, priority, timestamp = '', hostname = '', app_name = '', process_id = '', message_id = '', sd_id = '', list = ''] =
    found;
  const parameters = Array.from(list.matchAll(/ ([^=]+)="((?:[^"\\]|\\.)*)"/g), ([, name = '', value = '']) => [
    name,
    value.replace(/\\(["\\\]])/g, '$1'),
  ]);
  return {
    ...{ priority: Number(priority), timestamp, hostname, app_name, process_id, message_id, sd_id },
    parameters: Object.fromEntries(parameters),
    bom: found[9] === '\uFEFF',
    text: found[10] ?? '',
  };
}

/** Splits octet-counted frames. @throws {Error} for an incomplete or malformed frame */
function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = bytes.toString('latin1', at, space);
    if (space < 0 || !/^[1-9]\d{0,8}$/.test(length)) throw new Error('no octet count');
    at = space + 1 + Number(length);
    if (at > bytes.length) throw new Error('incomplete frame');
    frames.push(bytes.subarray(space + 1, at));
  }
  return frames;
}

/**
 * What a server does with a connection. `stores`: reads everything, stores it, then closes. `closes`: closes as soon as it is connected.
 * `resets`: resets when data arrives. `keeps`: stores everything, but never closes.
 */
export type Manner = 'stores' | 'closes' | 'resets' | 'keeps';

/** A syslog server over TCP on 127.0.0.1. */
export class Collector {
  manner: Manner = 'stores';
  /** All messages, with repetitions, in order of arrival. */
  readonly received: Received[] = [];
  /** Messages that are not as in RFC 5424. */
  readonly malformed: unknown[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(
    server: (onSocket: (socket: Socket) => void) => Server = (onSocket) => createServer({ allowHalfOpen: true }, onSocket),
  ) {
    this.#server = server((socket) => this.#serve(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Messages without those whose hash came before. */
  once(isWanted: (one: Received) => boolean = () => true): Received[] {
    const wanted = this.received.filter(isWanted);
    return [...new Map(wanted.toReversed().map((one) => [one.parameters.hash, one])).values()].toReversed();
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    const { manner } = this;
    if (manner === 'closes') {
      socket.end();
      return;
    }
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      if (manner === 'resets') socket.resetAndDestroy();
      chunks.push(chunk);
    });
    socket.once('end', () => {
      this.#store(Buffer.concat(chunks));
      if (manner !== 'keeps') socket.end();
    });
  }

  #store(bytes: Buffer): void {
    try {
      this.received.push(...framesOf(bytes).map(parseMessage));
    } catch (error) {
      this.malformed.push(error);
    }
  }
}
