import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, SESSION_ID, SvcError } from '@svc/contracts';
import { sha256 } from '@svc/ledger';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a request's client says about itself. Null: nothing. */
export interface ClientFacts {
  /** 1 to 128 visible ASCII characters. */
  readonly session: string | null;
  /** The name of the program, without a version. */
  readonly client: string | null;
  /** A pseudonym of the user. */
  readonly user: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until a run or a limit needs the facts. */
    facts: ClientFacts | null;
  }
  interface FastifyInstance {
    /** See `Pseudonyms` of `@svc/runtime`. */
    pseudonymOf: (principal_id: string, name: string) => string;
  }
}

export function useClientFacts(app: FastifyInstance, pseudonymOf: FastifyInstance['pseudonymOf']): void {
  app.decorateRequest('facts', null);
  app.decorate('pseudonymOf', pseudonymOf);
}

/** Where a fact may be. `from` is for people. */
interface Place {
  readonly from: string;
  readonly read: (headers: IncomingHttpHeaders, body: JsonObject) => unknown;
}

const header = (name: string): Place => ({ from: `header ${name}`, read: (headers) => headers[name] });
const field = (name: string): Place => ({ from: `body ${name}`, read: (_, body) => body[name] });
const baggage = (name: string): Place => ({ from: `baggage ${name}`, read: (headers) => baggageIn(headers.baggage, name) });
const inObject = (name: string, member: string): Place => ({
  from: `body ${name}.${member}`,
  read: (_, { [name]: object }) => (isObject(object) ? object[member] : undefined),
});
const inUserId = (what: string, part: (id: ClaudeUserId) => unknown): Place => ({
  from: `body metadata.user_id (${what})`,
  read: (_, { metadata }) =>
    isObject(metadata) && typeof metadata.user_id === 'string' ? part(userIdOf(metadata.user_id)) : undefined,
});

/** If several places name a session, the first one here wins. A test has a case for each. */
export const SESSION_PLACES: readonly Place[] = [
  header('x-svc-session'),
  // Claude Code.
  header('x-claude-code-session-id'),
  // Codex.
  header('session-id'),
  inObject('client_metadata', 'session_id'),
  inUserId('session', ({ session }) => session),
  baggage('session.id'),
];

/** If several places name a user, the first one here wins. */
export const USER_PLACES: readonly Place[] = [field('safety_identifier'), field('user'), inUserId('account', ({ user }) => user)];

const OPAQUE_ID = new RegExp(SESSION_ID);
/** Matches the first product of a User-Agent, without its version: `claude-cli`, `OpenAI/JS`. */
const PRODUCT = /^[\w.@-]{1,64}(?:\/[A-Za-z][\w.-]{0,31})?/;

/**
 * The facts of a request whose body was read. They are collected once.
 * @throws {SvcError} SVC-AUTH-001; SVC-REQ-001 for an invalid `x-svc-session`. Other invalid values are ignored.
 */
export function factsOf(request: FastifyRequest): ClientFacts {
  request.facts ??= readFacts(request);
  return request.facts;
}

function readFacts({ headers, body, principal, server }: FastifyRequest): ClientFacts {
  if (principal === null) throw new SvcError('SVC-AUTH-001', 'missing or unknown key');
  const own = headers['x-svc-session'];
  if (own !== undefined && !OPAQUE_ID.test(String(own)))
    throw new SvcError('SVC-REQ-001', 'the header x-svc-session must be 1 to 128 visible ASCII characters');
  const asked = isObject(body) ? body : {};
  const session = firstOf(SESSION_PLACES, headers, asked);
  const user = firstOf(USER_PLACES, headers, asked);
  return {
    session: session === null || OPAQUE_ID.test(session) ? session : sha256(session.toWellFormed()),
    client: PRODUCT.exec(headers['user-agent'] ?? '')?.[0] ?? null,
    user: user === null ? null : server.pseudonymOf(principal.principal_id, user),
  };
}

function firstOf(places: readonly Place[], headers: IncomingHttpHeaders, body: JsonObject): string | null {
  for (const { read } of places) {
    const value = read(headers, body);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** A `metadata.user_id` of the Messages API. */
interface ClaudeUserId {
  readonly session?: unknown;
  readonly user?: unknown;
}

/** Longest `metadata.user_id` that is read as JSON, in UTF-16 code units. Claude Code's is about 200 long. */
const MAX_USER_ID = 2048;

/** Matches the form of Claude Code before 2.1. */
const JOINED = /^user_([A-Za-z0-9]{1,128})_account_([A-Za-z0-9-]{0,64})_session_([\w-]{1,128})$/;

/** Reads a user id. Claude Code puts its session into the id, as JSON in the text. Other clients send the id of a user. */
function userIdOf(text: string): ClaudeUserId {
  const [, device, account, session] = JOINED.exec(text) ?? [];
  if (session !== undefined) return { session, user: account || device };
  const id = text.startsWith('{') && text.length <= MAX_USER_ID ? objectIn(text) : null;
  return id === null ? { user: text } : { session: id.session_id, user: id.account_uuid || id.device_id };
}

function objectIn(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A member of a W3C Baggage header. */
function baggageIn(list: unknown, name: string): string | undefined {
  if (typeof list !== 'string') return undefined;
  for (const member of list.split(',')) {
    const [key = '', ...value] = (member.split(';')[0] ?? '').split('=');
    if (key.trim() === name) return decoded(value.join('=').trim());
  }
  return undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
