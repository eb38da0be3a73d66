import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { SvcError } from '@svc/contracts';
import { parseTilePath } from '@svc/ledger';
import type { Gateway, Proofs } from '@svc/runtime';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { requireRole } from '../auth.ts';
import { eg } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import type { VisitorsLog } from '../visitors-log.ts';

const BYTES = 'application/octet-stream';
const YEAR_S = 31_536_000;

/** The tiles of a log. */
export const tile = {
  config: {
    errors: ['SVC-REQ-003', 'SVC-STORE-001'],
    example: { response: { [BYTES]: '' } },
  } satisfies FastifyContextConfig,
  params: Type.Object({
    '*': Type.String({ description: '`<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`.', ...eg('0/000.p/2') }),
  }),
  response: {
    description: 'Hashes of 32 bytes each, or entries, each preceded by its length in two bytes.',
    content: { [BYTES]: { schema: Type.String({ format: 'binary' }) } },
  },
};

/**
 * The ledger as a static tiled log, https://c2sp.org/tlog-tiles. Together with its checkpoint, the prefix of that log is `/v1/audit/ledger`.
 * @param visitors the log for callers without a key; null: a key is needed
 */
export function tileEndpoints(app: Server, { ledger }: Gateway['audit'], visitors: VisitorsLog | null): void {
  app.get(
    '/v1/audit/ledger/tile/*',
    {
      config: {
        ...tile.config,
        errors: [...tile.config.errors, 'SVC-LIMIT-003'],
        roles: ['audit'],
        public: visitors !== null,
      },
      schema: {
        operationId: 'getTile',
        tags: ['audit'],
        summary: 'Get a tile of the ledger',
        description:
          'The ledger as a tiled log (https://c2sp.org/tlog-tiles) with the prefix `/v1/audit/ledger`: hashes of the RFC 6962 tree, and bundles of entries. An entry is the hash of a record, without its content. A tile never changes. Needs no key if `ledger.public_tiles` is set.',
        params: tile.params,
        response: { 200: tile.response },
      },
    },
    async (request, reply) => {
      if (visitors === null) requireRole(request);
      return sendTile(request, reply, visitors ?? ledger, visitors !== null);
    },
  );
}

/** @throws {SvcError} SVC-REQ-003, SVC-STORE-001, SVC-LIMIT-003 */
export async function sendTile(
  request: FastifyRequest<{ Params: { '*': string } }>,
  reply: FastifyReply,
  log: Pick<Proofs, 'tile'>,
  isPublic = false,
): Promise<FastifyReply> {
  const place = parseTilePath(`tile/${request.params['*']}`);
  const bytes = place === null ? null : await log.tile(place);
  if (bytes === null) throw new SvcError('SVC-REQ-003', 'the log does not have this tile');
  reply.type(BYTES).header('cache-control', `${isPublic ? 'public' : 'private'}, max-age=${YEAR_S}, immutable`);
  // Hashes do not compress. Entries are in hexadecimal.
  if (place?.level !== 'entries' || !takesGzip(request)) return reply.send(Buffer.from(bytes));
  return reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' }).send(await promisify(gzip)(bytes));
}

function takesGzip({ headers }: FastifyRequest): boolean {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => {
      const [name, ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
      return (
        (name === 'gzip' || name === '*') && !parameters.some((part) => part.startsWith('q=') && Number(part.slice(2)) === 0)
      );
    });
}
