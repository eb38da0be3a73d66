import type { IncomingMessage } from 'node:http';
import { SvcError } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `uri-host [":" port]` of RFC 9110; it may be empty. */
const HOST_FORM = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/**
 * Refuses an ambiguous message, because a proxy could have read another `Host`, key or body from it. Node keeps the first of two headers, and does
 * not decode content codings.
 * @throws {SvcError} SVC-REQ-001 or SVC-REQ-005; the connection closes with the response
 */
export function assertUnambiguous({ raw }: FastifyRequest, reply: FastifyReply): void {
  const refused = refusalOf(raw);
  if (refused === null) return;
  reply.header('connection', 'close');
  throw refused;
}

export function isUnambiguous(message: IncomingMessage): boolean {
  return refusalOf(message) === null;
}

function refusalOf({ rawHeaders, httpVersion }: IncomingMessage): SvcError | null {
  const { hosts, authority, keys, expect, codings } = looked(rawHeaders);
  if (hosts.length === 0 && httpVersion === '1.1') return malformed('the header Host is missing');
  if (hosts.length > 1) return malformed('the request has more than one Host header');
  if (authority !== undefined && authority !== (hosts[0] ?? authority)) return malformed('Host and :authority differ');
  if (!HOST_FORM.test(hosts[0] ?? authority ?? '')) return malformed('the header Host is malformed');
  if (keys > 1) return malformed('the request has more than one Authorization header');
  if (expect.some((expectation) => expectation.toLowerCase() !== '100-continue'))
    return malformed('the header Expect must be 100-continue');
  if (codings.length === 0) return null;
  if (httpVersion === '1.0') return malformed('HTTP/1.0 does not support transfer codings');
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked' ? null : unknownCoding();
}

interface Looked {
  readonly hosts: string[];
  /** The `:authority` of HTTP/2. */
  authority: string | undefined;
  keys: number;
  readonly expect: string[];
  readonly codings: string[];
}

/** The relevant headers, each as often as it was sent. `headersDistinct` would create a list for every header. */
function looked(raw: readonly string[]): Looked {
  const fields: Looked = { hosts: [], authority: undefined, keys: 0, expect: [], codings: [] };
  for (let at = 0; at < raw.length; at += 2) {
    const value = raw[at + 1] ?? '';
    switch (raw[at]?.toLowerCase()) {
      case 'host':
        fields.hosts.push(value);
        break;
      case ':authority':
        fields.authority = value;
        break;
      case 'authorization':
        fields.keys += 1;
        break;
      case 'expect':
        fields.expect.push(value);
        break;
      case 'transfer-encoding':
        fields.codings.push(value);
        break;
    }
  }
  return fields;
}

function malformed(message: string): SvcError {
  return new SvcError('SVC-REQ-001', message);
}

export function unknownCoding(): SvcError {
  return new SvcError('SVC-REQ-005', 'chunked is the only supported transfer coding');
}
