import { ERROR_CODES, type ErrorCode } from '@svc/contracts';
import { faultsOf, headersOf } from './answers.ts';
import { EXAMPLES, type Example, PARAMETERS } from './examples.ts';
import { HEADERS, type HeaderName } from './headers.ts';

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
  security?: readonly unknown[];
  readonly parameters?: readonly { name?: string; example?: unknown }[];
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, Response>;
}
interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { headers?: Record<string, unknown> };
}

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' };

/** Adds to every operation its examples, its errors by status and the headers of its answers. */
export function complete<D>(given: D): D {
  const document = given as Document;
  document.components = { ...document.components, headers: HEADERS };
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods)) completeOperation(operation);
  }
  return given;
}

function completeOperation(operation: Operation): void {
  const { operationId = '', parameters = [] } = operation;
  const example = EXAMPLES[operationId];
  if (example === undefined) throw new Error(`${operationId} has no example`);
  for (const parameter of parameters) parameter.example = parameterExample(parameter.name ?? '');
  for (const media of Object.values(operation.requestBody?.content ?? {})) media.example = example.request;
  operation.responses = completeResponses(operation, example);
}

function parameterExample(name: string): unknown {
  if (!(name in PARAMETERS)) throw new Error(`the parameter ${name} has no example`);
  return PARAMETERS[name];
}

function completeResponses(
  { operationId = '', security, responses = {} }: Operation,
  example: Example,
): Record<string, Response> {
  const success = responses[201] === undefined ? 200 : 201;
  const { [success]: told, ...others } = responses;
  // The empty answers of probes.
  const completed: Record<string, Response> = Object.fromEntries(
    Object.entries(others).map(([status, answer]) => [
      status,
      answer.content === undefined ? { ...answer, ...withHeaders(['x-request-id']) } : answer,
    ]),
  );
  if (told !== undefined)
    completed[success] = {
      ...told,
      ...withHeaders(headersOf(success, operationId)),
      content: withExamples(told.content ?? {}, example.answer),
    };
  for (const [status, codes] of faultsOf(operationId, security?.length === 0)) {
    if (hasBodyOfItsOwn(others[status])) continue;
    completed[status] = {
      description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('; '),
      ...withHeaders(headersOf(status, operationId)),
      content: { 'application/json': { schema: ERROR_SCHEMA, examples: errorExamples(codes) } },
    };
  }
  for (const [status, answer] of Object.entries(example.others ?? {})) {
    const { content = {}, ...response } = completed[status] ?? {};
    const own = Object.keys(answer).map((type) => [type, content[type] ?? { schema: { type: 'string' } }] as const);
    completed[status] = { ...response, content: { ...content, ...withExamples(Object.fromEntries(own), answer) } };
  }
  return completed;
}

/** Such as an unhealthy gateway's, whose schema has the error beside it. */
function hasBodyOfItsOwn(told: Response | undefined): boolean {
  const schema = told?.content?.['application/json']?.schema;
  return schema !== undefined && JSON.stringify(schema) !== JSON.stringify(ERROR_SCHEMA);
}

function withExamples(
  content: Readonly<Record<string, Media>>,
  answer: Readonly<Record<string, unknown>>,
): Record<string, Media> {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, example: answer[type] }]));
}

function errorExamples(codes: readonly ErrorCode[]): Record<string, unknown> {
  return Object.fromEntries(
    codes.map((code) => {
      const { title } = ERROR_CODES[code];
      return [code, { summary: title, value: { code, detail: `${code}: ${title}` } }];
    }),
  );
}

function withHeaders(names: readonly HeaderName[]): Pick<Response, 'headers'> {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
