import { Type } from 'typebox';
import { DELAY_PATTERN } from './duration.ts';
import { closed } from './schema-parts.ts';

/** The section `server`. */
export const ServerSchema = closed(
  {
    host: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, default: 8000, description: 'Port to listen on; 0 takes a free one.' }),
    workers: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 1,
      description: 'Processes that serve the port together, one a core; more than one needs `--runs-db postgres://…`.',
    }),
    guard_threads: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description: 'Threads, of each process, in which guards do heavy work. Left out: half the cores, at least 2.',
      }),
    ),
    body_limit_bytes: Type.Integer({
      minimum: 1024,
      maximum: 1_073_741_824,
      default: 4_194_304,
      description: 'Largest request body.',
    }),
    max_bytes_in_flight: Type.Integer({
      minimum: 1024,
      default: 16_777_216,
      description:
        'Bytes of requests under work at once, in each worker; above it a request is answered 503 before its body is read. Answers of models may take as much again. At least `body_limit_bytes`.',
    }),
    trust_proxy: Type.Boolean({
      default: false,
      description:
        'Believe the last address in X-Forwarded-For, the one that the proxy itself saw. Only behind a proxy that sets it.',
    }),
    drain_delay: Type.Optional(
      Type.String({
        pattern: DELAY_PATTERN,
        title: 'a whole number with s or m, such as 5s',
        description:
          'How long new connections are still served after the signal to stop, while `/v1/health` is 503 already: the time in which load balancers find out. Left out: 5s, and 0s in a terminal.',
      }),
    ),
    keep_alive_ms: Type.Integer({
      minimum: 100,
      maximum: 3_600_000,
      default: 15_000,
      description:
        'How long a streamed answer is silent before a comment line (`: keep-alive`) tells clients and proxies that it goes on, in milliseconds.',
    }),
    record_content: Type.Boolean({ default: false, description: 'Keep messages and answers of ended runs.' }),
  },
  { default: {}, description: 'The HTTP server.' },
);
