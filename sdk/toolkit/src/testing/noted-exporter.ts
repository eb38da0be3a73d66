import type { Exporter, ExportRecord } from '@svc/contracts';

/** The exporter, which also notes the bytes of each record by its hash: for destinations that keep the hash of a record only. */
export function notedExporter(exporter: Exporter, bytes: Map<string, string>): Exporter {
  return {
    open: (context) => exporter.open(context),
    deliver: (records: readonly ExportRecord[], signal) => {
      for (const record of records) bytes.set(record.hash, record.bytes);
      return exporter.deliver(records, signal);
    },
    checkpoint: async (note, signal) => exporter.checkpoint?.(note, signal),
    close: () => exporter.close(),
    ...(exporter.operations && { operations: notedExporter(exporter.operations, bytes) }),
  };
}
