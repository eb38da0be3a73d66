import { isObject, type JsonObject } from '@svc/sdk';
import {
  arrayAt,
  badField,
  type Door,
  type DoorCall,
  objectAt,
  objectsIn,
  present,
  type ReceivedRequest,
  type SvcError,
  textAt,
} from '@svc/sdk/protocol';
import { partsIn } from './bodies/parts.ts';
import { inCamelCase } from './camel-case.ts';

const OPERATIONS: ReadonlyMap<string, DoorCall['operation']> = new Map([
  ['generateContent', 'generate'],
  ['streamGenerateContent', 'stream'],
  ['countTokens', 'count'],
  ['embedContent', 'embed'],
  ['batchEmbedContents', 'embed'],
]);

/** Fields of an embedding request that are passed to the model. */
const READ: ReadonlySet<string> = new Set(['model', 'content', 'outputDimensionality']);

/** `/v1beta/models/{route}:generateContent` and the other methods. */
export const DOOR: Door = {
  // Newer releases of Google's clients use `v1`. Older releases and preview features use `v1beta`.
  prefixes: ['/v1beta/models/', '/v1/models/'],
  key: { header: 'x-goog-api-key', query: 'key' },
  callOf(path, { alt }) {
    const at = path.lastIndexOf(':');
    const operation = OPERATIONS.get(path.slice(at + 1));
    return at < 1 || operation === undefined
      ? null
      : { operation, route: path.slice(0, at), form: alt === 'sse' ? 'events' : 'list' };
  },
  readRequest(body, call, passes) {
    const given = inCamelCase(body);
    const asked = call.operation === 'count' && isObject(given.generateContentRequest) ? given.generateContentRequest : given;
    arrayAt(asked.contents, 'body/contents');
    return withoutVendorTools(asked, call.route, passes);
  },
  tokenCount: (totalTokens) => ({ totalTokens }),
  readEmbedding(body) {
    const given = inCamelCase(body);
    const requests = Array.isArray(given.requests)
      ? given.requests.map((request, index) => objectAt(request, `body/requests/${index}`))
      : [given];
    if (requests.length === 0) throw badField('body/requests', 'must contain at least one request');
    const sizes = new Set(requests.map(({ outputDimensionality }) => outputDimensionality ?? null));
    if (sizes.size > 1) throw badField('body/requests', 'must use the same outputDimensionality in every request');
    const [size] = sizes;
    if (size != null && typeof size !== 'number') throw badField('body/outputDimensionality', 'must be number');
    return {
      input: requests.map(textIn),
      dimensions: size ?? null,
      unsupported: [...new Set(requests.flatMap((request) => Object.keys(present(request))))].filter((name) => !READ.has(name)),
    };
  },
  embeddings: (vectors, asked) =>
    Array.isArray(asked.requests)
      ? { embeddings: vectors.map((values) => ({ values })) }
      : { embedding: { values: vectors[0] ?? [] } },
  errorBody: (error) => ({ error: { code: error.status ?? 500, message: error.message, status: statusOf(error) } }),
};

function textIn({ content }: JsonObject): string {
  const parts = partsIn(content);
  if (parts.length === 0) throw badField('body/content/parts', 'must contain text');
  return parts.map(({ text }, at) => textAt(text, `body/content/parts/${at}/text`)).join('\n');
}

/** The name of a tool in a route's `vendor_tools`: `google_search` for `googleSearch`. */
const typeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Removes vendor tools that the route does not allow, and streamed function call arguments, because guards cannot check partial calls. */
function withoutVendorTools(body: JsonObject, route: string, passes: (type: string) => boolean): ReceivedRequest {
  const unsupported = new Set<string>();
  const { tools, toolConfig, ...rest } = body;
  const kept = objectsIn(tools).flatMap((tool) => {
    const own = Object.keys(tool).filter((name) => name !== 'functionDeclarations' && !passes(typeOf(name)));
    for (const name of own) unsupported.add(`tools.${name}`);
    const left = Object.fromEntries(Object.entries(tool).filter(([name]) => !own.includes(name)));
    return Object.keys(left).length === 0 ? [] : [left];
  });
  const calling = isObject(toolConfig) ? toolConfig.functionCallingConfig : undefined;
  const inPieces = isObject(calling) && calling.streamFunctionCallArguments === true;
  if (inPieces) unsupported.add('toolConfig.functionCallingConfig.streamFunctionCallArguments');
  if (unsupported.size === 0) return { request: { ...body, model: route }, unsupported: [] };
  const config = inPieces ? withoutPieces(toolConfig as JsonObject, calling) : toolConfig;
  const request = {
    ...rest,
    model: route,
    ...(kept.length > 0 && { tools: kept }),
    ...(config !== undefined && (kept.length > 0 || !Array.isArray(tools)) && { toolConfig: config }),
  };
  return { request, unsupported: [...unsupported] };
}

function withoutPieces(config: JsonObject, { streamFunctionCallArguments: _, ...calling }: JsonObject): JsonObject {
  return { ...config, functionCallingConfig: calling };
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function statusOf({ status }: SvcError): string {
  const code = Number(status ?? 500);
  return STATUSES[code] ?? (code < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL');
}
