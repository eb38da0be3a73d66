import { type Door, isObject, type JsonObject, type ProtocolPlugin, SvcError } from '@svc/contracts';
import { badField, knownPath } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askedRoute } from '../doors/asked-route.ts';
import { type CountingParts, countTokens } from '../doors/count-tokens.ts';
import { embedTexts } from '../doors/embed-texts.ts';
import { ProtocolWriter } from '../doors/protocol-writer.ts';
import { serveRun } from '../doors/serve.ts';
import { EVENTS, LIST } from '../doors/stream-form.ts';
import { isListed } from '../doors/vendor-tools.ts';
import type { Server } from '../typed-server.ts';

/** The doors of protocol plugins. The API description does not include them, because they differ for each gateway. */
export function protocolEndpoints(app: Server, parts: CountingParts, protocols: readonly ProtocolPlugin[]): void {
  for (const { protocol, door } of protocols) if (door !== null) protocolEndpoint(app, parts, protocol, door);
}

function protocolEndpoint(app: Server, parts: CountingParts, protocol: ProtocolPlugin['protocol'], door: Door): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const call = door.callOf(Reflect.get(Object(request.params), '*'), request.query as Readonly<Record<string, unknown>>);
    if (call === null) throw new SvcError('SVC-REQ-003', 'no such path, or the method is not allowed here');
    const asked = askedRoute(request, parts.active, call.route);
    const body = bodyOf(request);
    if (call.operation === 'embed') {
      const { input, dimensions, unsupported } = door.readEmbedding(body);
      const texts = { model: call.route, messages: [], input, ...(dimensions === null ? {} : { dimensions }) };
      const { embeddings } = await embedTexts(texts, asked, parts, request, reply, known(unsupported, protocol));
      return door.embeddings(embeddings as readonly (readonly number[])[], body);
    }
    const { vendor_tools } = asked.runtime;
    const { request: read, unsupported } = door.readRequest(body, call, (type) => isListed(type, vendor_tools));
    if (call.operation === 'count') {
      const chat = protocol.bridge.requestToChat(read).body;
      return door.tokenCount(await countTokens(chat, asked, parts, reply));
    }
    const form = call.form === 'list' ? LIST : EVENTS;
    const writer = new ProtocolWriter(protocol, read, (error) => [door.errorBody(error)], { form });
    const isStream = call.operation === 'stream';
    const run = { protocol, request: read, stream: isStream, unsupported: known(unsupported, protocol), writer };
    return serveRun(run, asked, parts, request, reply);
  };
  for (const prefix of door.prefixes)
    app.post(
      `${prefix}*`,
      { config: { roles: ['call'], metered: true, keepsDigits: true, door }, schema: { hide: true } },
      serve,
    );
}

function bodyOf({ body }: FastifyRequest): JsonObject {
  if (!isObject(body)) throw badField('body', 'must be object');
  return body;
}

function known(paths: readonly string[], protocol: ProtocolPlugin['protocol']): readonly string[] {
  return paths.map((path) => knownPath(path, protocol));
}
