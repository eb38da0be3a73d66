import { ERROR_CODES, type ErrorCode } from '@svc/contracts';
import type { FastifyContextConfig } from 'fastify';
import { errorsOf, headersOf } from './answers.ts';
import type { Bodies, Endpoint } from './endpoint.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { shareErrors } from './shared-responses.ts';

interface Media {
  schema?: unknown;
  example?: unknown;
  examples?: unknown;
}
interface Response {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId?: string;
  readonly parameters?: readonly { name?: string; example?: unknown }[];
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, Response>;
}
interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { headers?: Record<string, unknown>; responses?: Record<string, unknown>; examples?: Record<string, unknown> };
}

const ERROR_SCHEMA = { $ref: '#/components/schemas/ErrorBody' };

/** Adds examples, errors by status, and response headers to every operation. @param endpoints endpoints by operationId */
export function complete<D>(given: D, endpoints: ReadonlyMap<string, Endpoint>): D {
  const document = given as Document;
  document.paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).map(([path, of]) => [path.replace('{*}', '{path}'), of]),
  );
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const operation of operations) completeOperation(operation, endpoints);
  const responses = shareErrors(operations);
  document.components = { ...document.components, headers: HEADERS, examples: exampleErrors(endpoints), responses };
  return given;
}

function completeOperation(operation: Operation, endpoints: ReadonlyMap<string, Endpoint>): void {
  const { operationId = '', parameters = [] } = operation;
  // OpenAPI has no name for a parameter with slashes.
  for (const parameter of parameters) if (parameter.name === '*') parameter.name = 'path';
  const endpoint = endpoints.get(operationId);
  const example = endpoint?.config.example;
  if (endpoint === undefined || example === undefined) throw new Error(`${operationId} has no example`);
  for (const { name, example } of parameters)
    if (example === undefined) throw new Error(`the parameter ${name} of ${operationId} has no example`);
  for (const media of Object.values(operation.requestBody?.content ?? {})) media.example = example.request;
  operation.responses = completeResponses(operation.responses ?? {}, example, endpoint);
}

function completeResponses(
  responses: Record<string, Response>,
  example: NonNullable<FastifyContextConfig['example']>,
  endpoint: Endpoint,
): Record<string, Response> {
  const success = responses[201] === undefined ? 200 : 201;
  const { [success]: described, ...others } = responses;
  // Probes answer without a body.
  const completed: Record<string, Response> = Object.fromEntries(
    Object.entries(others).map(([status, response]) => [
      status,
      response.content === undefined ? { ...response, ...withHeaders(['x-request-id']) } : response,
    ]),
  );
  if (described !== undefined)
    completed[success] = {
      ...described,
      ...withHeaders(headersOf(success, endpoint)),
      content: withExamples(described.content ?? {}, example.response),
    };
  for (const [status, codes] of errorsOf(endpoint)) {
    if (hasOwnBody(others[status])) continue;
    completed[status] = {
      description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('; '),
      ...withHeaders(headersOf(status, endpoint)),
      content: { 'application/json': { schema: ERROR_SCHEMA, examples: errorExamples(codes) } },
    };
  }
  for (const [status, bodies] of Object.entries(example.others ?? {})) {
    const { content = {}, ...response } = completed[status] ?? {};
    const own = Object.keys(bodies).map((type) => [type, content[type] ?? { schema: { type: 'string' } }] as const);
    completed[status] = { ...response, content: { ...content, ...withExamples(Object.fromEntries(own), bodies) } };
  }
  return completed;
}

/** Whether a status has its own body. One example is the response of an unhealthy gateway, which is not an error object. */
function hasOwnBody(described: Response | undefined): boolean {
  const schema = described?.content?.['application/json']?.schema;
  return schema !== undefined && JSON.stringify(schema) !== JSON.stringify(ERROR_SCHEMA);
}

function withExamples(content: Readonly<Record<string, Media>>, bodies: Bodies): Record<string, Media> {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, example: bodies[type] }]));
}

function errorExamples(codes: readonly ErrorCode[]): Record<string, unknown> {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

/** An example of each error that an operation has. */
function exampleErrors(endpoints: ReadonlyMap<string, Endpoint>): Record<string, unknown> {
  const codes = new Set([...endpoints.values()].flatMap((endpoint) => [...errorsOf(endpoint).values()].flat()));
  return Object.fromEntries(
    [...codes].sort().map((code) => {
      const { title } = ERROR_CODES[code];
      return [code, { summary: title, value: { code, detail: `${code}: ${title}` } }];
    }),
  );
}

function withHeaders(names: readonly HeaderName[]): Pick<Response, 'headers'> {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
