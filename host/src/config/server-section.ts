import { isObject } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { DELAY_PATTERN, optionalMs } from './duration.ts';
import type { Reader } from './reader.ts';
import type { Report } from './report.ts';
import { closed } from './schema-parts.ts';
import { readTls, type ServerTls, TlsSchema } from './server-tls.ts';

export const ServerSchema = closed(
  {
    host: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8000, description: 'Port to listen on; 0 picks a free one.' }),
    workers: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 1,
      description:
        'Processes that share the port; use one per core. More than one requires `--runs-db`. If that is a folder, the primary process writes for all of them.',
    }),
    guard_threads: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description: 'Threads per process for heavy work of guards. Default: half the cores, at least 2.',
      }),
    ),
    body_limit_bytes: Type.Integer({
      minimum: 1024,
      maximum: 268_435_456,
      default: 33_554_432,
      description: 'Maximum size of a request body, in bytes.',
    }),
    max_bytes_in_flight: Type.Optional(
      Type.Integer({
        minimum: 1024,
        description:
          'Maximum bytes of requests in flight, per worker. A request that would exceed it gets 503 before its body is read. Model answers may use the same amount again. At least `body_limit_bytes`. Default: a share of the memory of the machine or container, 32 to 67 MiB (docs/operating.md).',
      }),
    ),
    trust_proxy: Type.Boolean({
      default: false,
      description:
        'Trust the last address in X-Forwarded-For, and X-Forwarded-Proto and X-Forwarded-Host. Use it only behind a proxy that sets these headers.',
    }),
    cors_origins: Type.Array(
      Type.String({ pattern: '^https?://[^/\\s*]+$', title: 'an origin, such as https://app.example.org' }),
      {
        default: [],
        uniqueItems: true,
        description:
          'Origins whose web pages may call the API, with their own key. Has no effect with `--no-auth`, which serves only pages of the gateway.',
      },
    ),
    drain_delay: Type.Optional(
      Type.String({
        pattern: DELAY_PATTERN,
        title: 'a whole number with s or m, such as 5s',
        description:
          'How long new connections are still accepted after the stop signal, while `/readyz` and `/v1/health` already answer 503 so that load balancers can react. Default: 5s, or 0s in a terminal.',
      }),
    ),
    drain_timeout: Type.Optional(
      Type.String({
        pattern: DELAY_PATTERN,
        title: 'a whole number with s or m, such as 60s',
        description:
          'How long runs in progress may continue after `drain_delay`, while new requests get 503 (`SVC-BUSY-002`). Then the remaining runs are interrupted. Set the kill timeout of the process manager to at least both times plus 20 seconds. Default: 60s, or 5s in a terminal.',
      }),
    ),
    tls: Type.Optional(TlsSchema),
    keep_alive_ms: Type.Integer({
      minimum: 100,
      maximum: 3_600_000,
      default: 15_000,
      description:
        'After this idle time, in milliseconds, a stream sends a comment line or an event that clients ignore, which keeps the connection open.',
    }),
    record_content: Type.Boolean({ default: false, description: 'Whether to store messages and answers of ended runs.' }),
  },
  { default: {}, description: 'The HTTP server.' },
);

/** The section `server`. */
export interface ServerPart {
  readonly server: Static<typeof ServerSchema>;
  /** TLS of the gateway itself, with secrets resolved. Null: none. */
  readonly tls: ServerTls | null;
  /** Null: not configured. */
  readonly drain_delay_ms: number | null;
  /** Null: not configured. */
  readonly drain_timeout_ms: number | null;
}

export const readServer: Reader<ServerPart> = async (section, context) => {
  const { tls = null, body_limit_bytes, max_bytes_in_flight }: Record<string, unknown> = isObject(section) ? section : {};
  const read = tls === null ? null : await readTls(tls, context);
  lintSizes(body_limit_bytes, max_bytes_in_flight, context.report);
  if (!Value.Check(ServerSchema, section)) return null;
  return {
    server: section,
    tls: read,
    drain_delay_ms: optionalMs(section.drain_delay),
    drain_timeout_ms: optionalMs(section.drain_timeout),
  };
};

/** SVC-POL-001: a body within its limit that could never be admitted. */
function lintSizes(body: unknown, most: unknown, report: Report): void {
  if (typeof body !== 'number' || typeof most !== 'number' || body <= most) return;
  report.error('SVC-POL-001', ['server', 'max_bytes_in_flight'], 'must not be less than body_limit_bytes', {
    expected: `at least ${body}, or a smaller body_limit_bytes`,
  });
}
