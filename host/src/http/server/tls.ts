import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { SecureServerOptions, ServerHttp2Stream } from 'node:http2';
import type { Server as TlsServer } from 'node:tls';
import type { PemFiles, PemTexts } from '@svc/toolkit/network';
import type { Logger } from 'pino';

const { constants, Http2ServerResponse } = process.getBuiltinModule('node:http2');

const HANDSHAKE_MS = 10_000;
/** Maximum number of concurrent requests on one HTTP/2 connection: enough for a browser, too few for a flood. */
const MAX_STREAMS = 128;
const LOOK_EVERY_MS = 5_000;

/** A response that also has the members of HTTP/1. */
class Response extends Http2ServerResponse {
  static {
    const members: Record<string, (this: Response) => boolean> = {
      destroyed() {
        return this.stream.destroyed;
      },
      closed() {
        return this.stream.closed;
      },
      // Node also ends a stream that a client has reset.
      writableFinished() {
        return this.stream.writableFinished && !this.stream.aborted;
      },
    };
    for (const [name, get] of Object.entries(members)) Object.defineProperty(Response.prototype, name, { get });
  }
}

/** Options for HTTP/2 and HTTP/1.1 over TLS. With a `ca`, clients need a certificate from it. */
function secureOptions({ ca, ...own }: PemTexts): SecureServerOptions {
  return {
    ...own,
    ...(ca !== undefined && { ca, requestCert: true, rejectUnauthorized: true }),
    allowHTTP1: true,
    handshakeTimeout: HANDSHAKE_MS,
    settings: { maxConcurrentStreams: MAX_STREAMS },
    Http2ServerResponse: Response as typeof Http2ServerResponse,
  };
}

/** Resets each HTTP/2 request that has not arrived completely within `limit_ms`. Node limits only HTTP/1 requests. */
export function limitRequestTime(server: EventEmitter, limit_ms: number): void {
  server.on('stream', (stream: ServerHttp2Stream) => {
    const late = setTimeout(() => {
      if (stream.state.state === constants.NGHTTP2_STREAM_STATE_OPEN) stream.close(constants.NGHTTP2_CANCEL);
    }, limit_ms).unref();
    stream.once('close', () => clearTimeout(late));
  });
}

/** The certificates of a server, and those that it accepts from clients. There are none with plain HTTP. */
export class ServerCertificates {
  readonly #files: PemFiles | null;
  readonly #logger: Logger;
  #inUse: PemTexts | null = null;
  #server: TlsServer | null = null;

  constructor(files: PemFiles | null, logger: Logger) {
    this.#files = files;
    this.#logger = logger;
  }

  /** Null: plain HTTP. @throws {PemError} */
  async options(): Promise<SecureServerOptions | null> {
    if (this.#files === null) return null;
    this.#inUse = await this.#files.current();
    return secureOptions(this.#inUse);
  }

  /** Uses changed certificates for new connections of this server. Open connections stay. */
  keepFresh(server: Server): void {
    if (this.#files === null) return;
    this.#server = server as unknown as TlsServer;
    const timer = setInterval(() => void this.renew(), LOOK_EVERY_MS);
    timer.unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Checks for changes now. */
  async renew(): Promise<void> {
    if (this.#files === null || this.#server === null) return;
    const now = await this.#files.current();
    if (now === this.#inUse) return;
    this.#inUse = now;
    this.#server.setSecureContext(now);
    this.#logger.info({ event: 'tls_renewed' });
  }
}
