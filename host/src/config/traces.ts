import { isObject } from '@svc/contracts';
import { Value } from 'typebox/value';
import { LITERAL_SECRET } from './create-plugin.ts';
import { type NetworkContext, readNetwork } from './read-network.ts';
import type { Report } from './report.ts';
import { type Traces, TracesSchema } from './schema.ts';
import { isSecretText } from './secret-reference.ts';

/** RFC 9110, 5.5. Not checked by `node:http`: importing it as an ES module loads its WebSocket too, 5 MB of memory. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

const SECTION = ['telemetry', 'traces'];
const PATH = [...SECTION, 'headers'];
/** Other headers may be a tenant or a data set. */
const SECRET_NAME = /authorization|cookie|key|token|secret|password/i;

/** The section `telemetry.traces` with its secrets; null if there is none, or it is invalid (which is reported). */
export async function readTraces(telemetry: unknown, context: NetworkContext): Promise<Traces | null> {
  const { report, secrets, resolveSecrets } = context;
  const traces = isObject(telemetry) ? telemetry.traces : undefined;
  if (!Value.Check(TracesSchema, traces)) return null;
  if (!URL.canParse(traces.endpoint)) report.error('SVC-POL-001', ['telemetry', 'traces', 'endpoint'], 'is not a URL');
  for (const [name, value] of Object.entries(traces.headers)) {
    checkValue(name, value, report);
    if (SECRET_NAME.test(name) && !isSecretText(value)) report.warning('SVC-POL-008', [...PATH, name], LITERAL_SECRET);
  }
  const network = await readNetwork(traces, SECTION, context);
  if (!(await secrets.check(traces.headers, PATH)) || !resolveSecrets) return { ...traces, ...network };
  const headers = await secrets.resolve(traces.headers, PATH);
  if (!Value.Check(TracesSchema.properties.headers, headers)) return null;
  for (const [name, value] of Object.entries(headers)) if (value !== traces.headers[name]) checkValue(name, value, report);
  return { ...traces, ...network, headers };
}

function checkValue(name: string, value: string, report: Report): void {
  if (!HEADER_VALUE.test(value)) report.error('SVC-POL-001', [...PATH, name], 'not a valid HTTP header value');
}
