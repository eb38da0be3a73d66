import { isObject } from '@svc/contracts';
import { networkOptions } from '@svc/toolkit/network';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { LOG_DEFAULTS, LOG_FORMATS, LOG_LEVELS, type LogSettings } from '../telemetry/log/log-settings.ts';
import { LITERAL_SECRET } from './create-plugin.ts';
import { type NetworkContext, readNetwork } from './read-network.ts';
import type { Reader } from './reader.ts';
import type { Report } from './report.ts';
import { closed } from './schema-parts.ts';
import { isSecretText } from './secret-reference.ts';

const TracesSchema = closed(
  {
    endpoint: Type.String({
      pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
      title: 'an http or https address without a user, a query or a fragment, such as http://collector:4318/v1/traces',
      description: 'Full URL of the OTLP/HTTP (protobuf) traces endpoint of the collector.',
    }),
    headers: Type.Record(Type.String(), Type.String({ minLength: 1, description: 'Value of the header.' }), {
      propertyNames: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$", title: 'the name of an HTTP header' }),
      default: {},
      description: 'Sent with every export; a value may be a secret:// reference.',
    }),
    sample_ratio: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'Share of runs to trace. The traceparent of a caller takes precedence.',
    }),
    ...networkOptions,
  },
  { description: 'Sends the spans of every run to a collector. Without it, no spans are created.' },
);
export type Traces = Static<typeof TracesSchema>;

export const LogsSchema = closed(
  {
    level: Type.Enum([...LOG_LEVELS], {
      default: LOG_DEFAULTS.level,
      description: 'Lowest level to log. `debug` includes probes; `warn` and `error` omit requests.',
    }),
    format: Type.Enum([...LOG_FORMATS], {
      default: LOG_DEFAULTS.format,
      description:
        '`json`: one JSON object per line. `pretty`: readable lines. `auto`: `pretty` on a terminal, `json` elsewhere.',
    }),
  },
  { default: {}, description: 'The log on stdout. `--log-level` and `--log-format` take precedence.' },
);

export const TelemetrySchema = closed(
  { logs: LogsSchema, traces: Type.Optional(TracesSchema) },
  { default: {}, description: 'Telemetry besides `/metrics`.' },
);

/** The section `telemetry`. */
export interface TelemetryPart {
  readonly logs: LogSettings;
  /** Destination of traces, with secrets resolved. Null: none. */
  readonly traces: Traces | null;
}

/** RFC 9110, 5.5. Not checked with `node:http`: importing that as an ES module also loads its WebSocket, 5 MB of memory. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

const SECTION = ['telemetry', 'traces'];
const PATH = [...SECTION, 'headers'];
/** Matches names of headers that contain a secret. Other headers may name a tenant or a data set. */
const SECRET_NAME = /authorization|cookie|key|token|secret|password/i;

/** Null if the section is invalid, which is reported. */
export const readTelemetry: Reader<TelemetryPart> = async (section, context) => {
  const { logs, traces }: Record<string, unknown> = isObject(section) ? section : {};
  const read = traces === undefined ? { traces: null } : await readTraces(traces, context);
  return read === null || !Value.Check(LogsSchema, logs) ? null : { logs, ...read };
};

async function readTraces(traces: unknown, context: NetworkContext): Promise<Pick<TelemetryPart, 'traces'> | null> {
  const { report, secrets, resolveSecrets } = context;
  if (!Value.Check(TracesSchema, traces)) return null;
  if (!URL.canParse(traces.endpoint)) report.error('SVC-POL-001', ['telemetry', 'traces', 'endpoint'], 'is not a URL');
  for (const [name, value] of Object.entries(traces.headers)) {
    checkValue(name, value, report);
    if (SECRET_NAME.test(name) && !isSecretText(value)) report.warning('SVC-POL-008', [...PATH, name], LITERAL_SECRET);
  }
  const network = await readNetwork(traces, SECTION, context);
  if (!(await secrets.check(traces.headers, PATH)) || !resolveSecrets) return { traces: { ...traces, ...network } };
  const headers = await secrets.resolve(traces.headers, PATH);
  if (!Value.Check(TracesSchema.properties.headers, headers)) return null;
  for (const [name, value] of Object.entries(headers)) if (value !== traces.headers[name]) checkValue(name, value, report);
  return { traces: { ...traces, ...network, headers } };
}

function checkValue(name: string, value: string, report: Report): void {
  if (!HEADER_VALUE.test(value)) report.error('SVC-POL-001', [...PATH, name], 'not a valid HTTP header value');
}
