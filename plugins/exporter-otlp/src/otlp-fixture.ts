import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';
import protobuf from 'protobufjs';

/** The messages of opentelemetry/proto/collector/logs/v1/logs_service.proto, as far as log records use them. */
const PROTO = `syntax = "proto3";
message Request { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message LogRecord {
  fixed64 time_unix_nano = 1;
  int32 severity_number = 2;
  string severity_text = 3;
  AnyValue body = 5;
  repeated KeyValue attributes = 6;
  uint32 dropped_attributes_count = 7;
  fixed32 flags = 8;
  bytes trace_id = 9;
  bytes span_id = 10;
  fixed64 observed_time_unix_nano = 11;
  string event_name = 12;
}
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; bytes bytes_value = 7; } }
message Response { PartialSuccess partial_success = 1; }
message PartialSuccess { int64 rejected_log_records = 1; string error_message = 2; }
`;
const { root } = protobuf.parse(PROTO, { keepCase: true });
const [requests, responses] = [root.lookupType('Request'), root.lookupType('Response')];

/** A log record as it came over the wire. */
export interface ReceivedLog {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly scope: { readonly name: string; readonly version: string };
  readonly time_unix_nano: string;
  readonly observed_time_unix_nano: string;
  readonly severity_number: number;
  readonly severity_text: string;
  readonly event_name: string;
  readonly body: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

type Pairs = { key: string; value: Record<string, unknown> }[];
type Wire = Omit<ReceivedLog, 'resource' | 'scope' | 'body' | 'attributes'> & {
  body: Record<string, unknown>;
  attributes: Pairs;
};
interface WireRequest {
  resource_logs: { resource: { attributes: Pairs }; scope_logs: { scope: ReceivedLog['scope']; log_records: Wire[] }[] }[];
}

/** How the collector answers instead of accepting: with a status and headers, with a number of rejected log records, or with a page of this type. */
export type Refusal =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | { readonly rejected: number }
  | { readonly page: string; readonly type: string };

/** A collector of OTLP/HTTP logs in protobuf on 127.0.0.1. It is strict: a request of another form gets 400 or 415. */
export class OtlpDouble extends HttpDouble {
  /** All log records, with repetitions. */
  readonly logs: ReceivedLog[] = [];
  /** Why requests of another form were refused. */
  readonly malformed: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  refusal: Refusal | null = null;

  get url(): string {
    return `${this.origin}/v1/logs`;
  }

  /** Log records without those whose hash came before. */
  once(isWanted: (one: ReceivedLog) => boolean = () => true): ReceivedLog[] {
    const seen = new Set<unknown>();
    return this.logs.filter((one) => {
      const hash = one.attributes['svc.ledger.hash'];
      return isWanted(one) && !seen.has(hash) && seen.add(hash);
    });
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    this.headers.push(request.headers);
    const refuse = (status: number, why: string) => {
      this.malformed.push(why);
      response.writeHead(status).end('SINK-TEXT');
    };
    if (request.method !== 'POST' || request.url !== '/v1/logs') return refuse(404, `${request.method} ${request.url}`);
    if (request.headers['content-type'] !== 'application/x-protobuf') return refuse(415, 'content type');
    if (this.refusal !== null && 'status' in this.refusal) {
      response.writeHead(this.refusal.status, this.refusal.headers ?? {}).end('SINK-TEXT');
      return;
    }
    if (this.refusal !== null && 'page' in this.refusal) {
      response.writeHead(200, { 'content-type': this.refusal.type }).end(this.refusal.page);
      return;
    }
    const logs = logsIn(body);
    if (typeof logs === 'string') return refuse(400, logs);
    const rejected = this.refusal?.rejected ?? 0;
    if (rejected === 0) this.logs.push(...logs);
    const said = rejected === 0 ? {} : { partial_success: { rejected_log_records: rejected, error_message: 'SINK-TEXT' } };
    response
      .writeHead(200, { 'content-type': 'application/x-protobuf' })
      .end(responses.encode(responses.fromObject(said)).finish());
  }
}

/** The log records of a request; the reason if it has another form. */
function logsIn(body: Buffer): ReceivedLog[] | string {
  try {
    const message = requests.decode(body);
    // Fields that the messages do not have are lost when a message is written again.
    if (requests.encode(message).finish().length !== body.length) return 'unknown fields';
    const { resource_logs } = requests.toObject(message, { longs: String, defaults: true, arrays: true }) as WireRequest;
    return resource_logs.flatMap(({ resource, scope_logs }) =>
      scope_logs.flatMap(({ scope, log_records }) =>
        log_records.map((record) => ({
          ...record,
          resource: attributesOf(resource.attributes),
          scope: { name: scope.name, version: scope.version },
          body: contentOf(record.body),
          attributes: attributesOf(record.attributes),
        })),
      ),
    );
  } catch (error) {
    return `not protobuf: ${error}`;
  }
}

function attributesOf(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, contentOf(value)]));
}

function contentOf(value: Record<string, unknown>): unknown {
  if (value.int_value !== undefined) return Number(value.int_value);
  return value.string_value ?? value.bool_value ?? value.double_value ?? value.bytes_value;
}
