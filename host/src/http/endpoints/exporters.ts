import type { Gateway } from '@svc/runtime';
import { requireRole } from '../auth.ts';
import { json } from '../description/samples.ts';
import { ExporterList, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

export function exporterEndpoint(app: Server, { audit }: Pick<Gateway, 'audit'>): void {
  app.get(
    '/v1/operations/exporters',
    {
      config: {
        roles: ['admin', 'audit'],
        errors: ['SVC-STORE-001'],
        example: { response: json({ ledger_length: 12, exporters: [{ name: 'archive', through_seq: 10, lag_records: 2 }] }) },
      },
      schema: {
        operationId: 'listExporters',
        tags: ['operations'],
        summary: 'List the progress of each exporter',
        response: { 200: ref(ExporterList) },
      },
    },
    async (request) => {
      requireRole(request);
      const [cursors, ledger_length] = await Promise.all([audit.exportCursors(), audit.chainLength()]);
      const exporters = [...cursors].map(([name, through_seq]) => ({
        name,
        through_seq,
        // Not negative: exports may have advanced between the two reads.
        lag_records: Math.max(0, ledger_length - through_seq),
      }));
      return { ledger_length, exporters: exporters.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    },
  );
}
