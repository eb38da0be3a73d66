import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import type { PluginDeps } from '@svc/sdk';
import { failureCode, NotAccepted, withinTime } from '@svc/toolkit/export';
import { assertNetwork, ConnectionLog, type PemFiles, pemFilesOf } from '@svc/toolkit/network';
import type { Options } from './options.ts';

/**
 * A syslog server. Syslog has no acknowledgement, so each delivery has its own connection, and the close of that connection confirms it: a server
 * closes its side after it has read the client's close, which is behind all messages. RFC 5425, section 4.4, requires this for TLS.
 */
export class SyslogServer {
  readonly #options: Options;
  readonly #pem: PemFiles;
  readonly #log: ConnectionLog;

  /** @throws {PemError} for certificates and keys that cannot be used */
  constructor(options: Options, { directory, logger }: Pick<PluginDeps, 'directory' | 'logger'>) {
    assertNetwork(options, directory);
    this.#options = options;
    this.#log = new ConnectionLog(logger);
    this.#pem = pemFilesOf(options, directory, ({ code, message }) => this.#log.failed(code, message));
  }

  /**
   * Sends messages. Resolves when the server has read all of them.
   * @throws {NotAccepted} otherwise, or if that is unknown
   */
  async send(messages: Buffer, signal: AbortSignal): Promise<void> {
    try {
      await withinTime(this.#options.timeout_ms, signal, (limited) => this.#exchange(messages, limited));
      this.#log.succeeded();
    } catch (error) {
      this.#log.failed(failureCode(error));
      throw error;
    }
  }

  async #exchange(messages: Buffer, signal: AbortSignal): Promise<void> {
    const begin = performance.now();
    const socket = await this.#connect();
    const { promise: lost, reject } = Promise.withResolvers<never>();
    // Everything below waits for one of the promises, so none of them may end the process.
    lost.catch(() => undefined);
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    socket.on('error', reject);
    socket.on('close', () => reject(new NotAccepted('CONNECTION_LOST')));
    try {
      const connected = Promise.withResolvers<void>();
      socket.once(this.#options.transport === 'tls' ? 'secureConnect' : 'connect', connected.resolve);
      await Promise.race([connected.promise, lost]);
      const connected_at = performance.now();
      const ended = Promise.withResolvers<void>();
      let isEnding = false;
      socket.once('end', () => (isEnding ? ended.resolve() : reject(new NotAccepted('CLOSED_EARLY'))));
      // What a server says is not part of the protocol.
      socket.resume();
      await Promise.race([written(socket, messages), lost]);
      const sent = { bytes: messages.length, connect_ms: connected_at - begin, write_ms: performance.now() - connected_at };
      // A server that closed before these messages arrived is noticed here. One that closes with unread messages resets the connection.
      await Promise.race([delay(arrivalMs(this.#options.transport, sent), undefined, { signal }), lost]);
      isEnding = true;
      socket.end();
      await Promise.race([ended.promise, lost]);
    } finally {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
    }
  }

  async #connect(): Promise<Socket> {
    const { transport } = this.#options;
    // As in a URL, an IPv6 address may be in brackets.
    const host = this.#options.host.replace(/^\[(.*)\]$/, '$1');
    const port = this.#options.port ?? (transport === 'tls' ? 6514 : 601);
    if (transport === 'tcp') return connectTcp({ host, port });
    const name = this.#options.server_name ?? host;
    const pem = await this.#pem.current();
    return connectTls({
      ...{ ...pem, host, port },
      // RFC 6066 allows no address as a server name.
      ...(isIP(name) === 0 && { servername: name }),
      checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    });
  }
}

/** Segments that TCP sends before the first acknowledgement (RFC 6928), in bytes. Each later round trip sends up to twice as many as the previous one. */
const INITIAL_WINDOW = 14_600;
/** Connecting takes at least this many round trips. */
const ROUND_TRIPS = { tcp: 1, tls: 2 };

/**
 * How long messages may take to arrive after the system has taken them to send: it can hold all of them. Long enough that a server that closed between
 * two of them is noticed before the own close, unless the network became slower since.
 */
export function arrivalMs(
  transport: Options['transport'],
  { bytes, connect_ms, write_ms }: { readonly bytes: number; readonly connect_ms: number; readonly write_ms: number },
): number {
  const round_trips = Math.max(ROUND_TRIPS[transport], Math.ceil(Math.log2(bytes / INITIAL_WINDOW + 1)));
  return (connect_ms / ROUND_TRIPS[transport]) * round_trips + write_ms + 1;
}

function written(socket: Socket, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => socket.write(data, (error) => (error == null ? resolve() : reject(error))));
}
