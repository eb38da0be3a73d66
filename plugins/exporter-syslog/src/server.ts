import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { PluginDeps } from '@svc/sdk';
import { NotAccepted, withinTime } from '@svc/toolkit/export';
import { assertNetwork, type PemFiles, pemFilesOf } from '@svc/toolkit/network';
import type { Options } from './options.ts';

/**
 * A syslog server. Syslog has no acknowledgement, so each delivery has its own connection, and the close of that connection confirms it: a server
 * closes its side after it has read the client's close, which is behind all messages. RFC 5425, section 4.4, requires this for TLS.
 */
export class SyslogServer {
  readonly #options: Options;
  readonly #pem: PemFiles;

  /** @throws {PemError} for certificates and keys that cannot be used */
  constructor(options: Options, { directory, logger }: Pick<PluginDeps, 'directory' | 'logger'>) {
    assertNetwork(options, directory);
    this.#options = options;
    this.#pem = pemFilesOf(options, directory, ({ code, message }) => {
      logger.warn({ event: 'connection_failed', reason: code, remedy: message });
    });
  }

  /**
   * Sends messages. Resolves when the server has read all of them.
   * @throws {NotAccepted} otherwise, or if that is unknown
   */
  send(messages: Buffer, signal: AbortSignal): Promise<void> {
    return withinTime(this.#options.timeout_ms, signal, (limited) => this.#exchange(messages, limited));
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
      const round_trip_ms = performance.now() - begin;
      const ended = Promise.withResolvers<void>();
      let isEnding = false;
      socket.once('end', () => (isEnding ? ended.resolve() : reject(new NotAccepted('CLOSED_EARLY'))));
      // What a server says is not part of the protocol.
      socket.resume();
      await Promise.race([written(socket, messages), lost]);
      // A server that closed before these messages arrived is noticed here. One that closes with unread messages resets the connection.
      await Promise.race([delay(round_trip_ms + 1, undefined, { signal }), lost]);
      isEnding = true;
      socket.end();
      await Promise.race([ended.promise, lost]);
    } finally {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
    }
  }

  async #connect(): Promise<Socket> {
    const { host, transport, server_name } = this.#options;
    const port = this.#options.port ?? (transport === 'tls' ? 6514 : 601);
    if (transport === 'tcp') return connectTcp({ host, port });
    const pem = await this.#pem.current();
    return connectTls({ ...pem, host, port, ...(server_name !== undefined && { servername: server_name }) });
  }
}

function written(socket: Socket, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => socket.write(data, (error) => (error == null ? resolve() : reject(error))));
}
