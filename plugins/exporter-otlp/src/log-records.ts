import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { isObject } from '@svc/sdk';
import { epochMs, type HttpAnswer, type LedgerEvent, type Level, VERSION } from '@svc/toolkit/export';

/** An event, and its text in the configured format. */
export interface LogLine {
  readonly event: LedgerEvent;
  readonly text: string;
}

/** Log data model, section "Severity fields": 9 INFO, 10 INFO2, 13 WARN, 17 ERROR. */
const SEVERITIES: Readonly<Record<Level, 9 | 10 | 13 | 17>> = { info: 9, notice: 10, warning: 13, error: 17 };

const resource = resourceFromAttributes({ 'service.name': 'svc', 'service.version': VERSION });
const instrumentationScope = { name: 'svc.ledger', version: VERSION };

/** The body of an OTLP/HTTP request for logs, in protobuf. @param now milliseconds since the epoch */
export function requestBody(lines: readonly LogLine[], now: number): Uint8Array {
  const body = ProtobufLogsSerializer.serializeRequest(lines.map((line) => logRecord(line, now)));
  if (body === undefined) throw new TypeError('the records cannot be written as protobuf');
  return body;
}

/**
 * How many log records the collector rejected. The body of a response is empty, or in protobuf as the request; some collectors answer in JSON. Null for
 * another one, such as a proxy's page: it confirms nothing.
 */
export function rejectedIn({ headers, body }: Pick<HttpAnswer, 'headers' | 'body'>): number | null {
  if (body.length === 0) return 0;
  const [type = ''] = String(headers['content-type']).split(';', 1);
  try {
    const rejected = readersOf[type.trim().toLowerCase()]?.(body) ?? Number.NaN;
    return Number.isNaN(rejected) ? null : rejected;
  } catch {
    return null;
  }
}

const readersOf: Readonly<Record<string, (body: Buffer) => number>> = {
  'application/x-protobuf': (body) =>
    Number(ProtobufLogsSerializer.deserializeResponse(body).partialSuccess?.rejectedLogRecords ?? 0),
  'application/json': (body) => {
    const response: unknown = JSON.parse(body.toString());
    if (!isObject(response)) return Number.NaN;
    const { partialSuccess } = response;
    return isObject(partialSuccess) ? Number(partialSuccess.rejectedLogRecords ?? 0) : 0;
  },
};

function logRecord({ event, text }: LogLine, now: number): ReadableLogRecord {
  const { seq, hash, ledger_id, type, level, at, subject } = event;
  return {
    hrTime: hrTime(epochMs(at) ?? now),
    hrTimeObserved: hrTime(now),
    severityNumber: SEVERITIES[level],
    severityText: level,
    eventName: `svc.${type}`,
    body: text,
    resource,
    instrumentationScope,
    attributes: {
      // Two log records with the same value are the same: OpenTelemetry's attribute registry.
      'log.record.uid': hash,
      'svc.ledger.id': ledger_id,
      'svc.ledger.seq': seq,
      'svc.ledger.hash': hash,
      'svc.ledger.prev_hash': event.prev_hash,
      ...(subject.kind === 'run' && {
        'svc.run.id': subject.run_id,
        'svc.run.status': subject.status,
        'svc.route': subject.route,
        'enduser.id': subject.principal_id,
        ...(subject.model !== null && {
          'gen_ai.provider.name': subject.model.provider,
          'gen_ai.request.model': subject.model.name,
        }),
        ...(subject.ruling !== null && {
          'svc.guard': subject.ruling.guard,
          'svc.verdict': subject.ruling.verdict,
          'svc.code': subject.ruling.code,
        }),
      }),
    },
    droppedAttributesCount: 0,
  };
}

function hrTime(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, (milliseconds - seconds * 1000) * 1_000_000];
}
