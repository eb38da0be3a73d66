import type { Gateway } from '@svc/runtime';
import { requireRole } from '../auth.ts';
import { json } from '../description/samples.ts';
import { ref, WitnessList } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

export function witnessEndpoint(app: Server, { audit }: Pick<Gateway, 'audit'>): void {
  app.get(
    '/v1/operations/witnesses',
    {
      config: {
        roles: ['admin', 'audit'],
        errors: ['SVC-STORE-001'],
        example: {
          response: json({ ledger_length: 12, witnesses: [{ name: 'witness.example', cosigned_size: 10, lag_records: 2 }] }),
        },
      },
      schema: {
        operationId: 'listWitnesses',
        tags: ['operations'],
        summary: 'List the progress of each witness',
        response: { 200: ref(WitnessList) },
      },
    },
    async (request) => {
      requireRole(request);
      const [witnesses, ledger_length] = await Promise.all([audit.ledger.witnesses(), audit.chainLength()]);
      return {
        ledger_length,
        witnesses: witnesses.map(({ name, cosigned_size }) => ({
          name,
          cosigned_size,
          lag_records: Math.max(0, ledger_length - cosigned_size),
        })),
      };
    },
  );
}
