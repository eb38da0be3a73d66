import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { pep440, VERSION } from '@svc/kernel/version';
import type { FastifySchema } from 'fastify';
import { ErrorBody, ref } from '../schemas.ts';
import { isOpen } from './answers.ts';
import { withAnyMembers } from './any-members.ts';
import { complete } from './complete.ts';
import type { Endpoint } from './endpoint.ts';

/** How openapi.json is generated from the schemas of the endpoints. */
export function openApi(): FastifyDynamicSwaggerOptions {
  const endpoints = new Map<string, Endpoint>();
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc, the governed model gateway',
        version: pep440(VERSION),
        description: 'Guards, approvals and an evidence ledger in front of language models.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'http://127.0.0.1:8000', description: 'A gateway on this machine.' }],
      tags: [
        { name: 'chat', description: "OpenAI's chat API." },
        { name: 'runs', description: 'Governed runs and decisions on them.' },
        { name: 'approvals', description: 'Delegations, by which approvers let others decide in their place.' },
        { name: 'audit', description: 'Runs, ledger and inventory for auditors.' },
        { name: 'routes', description: 'Configured routes.' },
        { name: 'rag', description: 'Documents and retrieval.' },
        { name: 'keys', description: 'Keys created while the gateway runs.' },
        { name: 'passkeys', description: 'Passkeys that people use to sign decisions.' },
        { name: 'operations', description: 'Health, metrics, and changes by operators.' },
        { name: 'pages', description: 'HTML pages for people.' },
      ],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: '`svc-` and 64 hexadecimal characters.' } },
      },
      security: [{ key: [] }],
    },
    transform: ({ schema, url, route: { config = {} } }) => {
      if (schema?.hide === true) return { schema, url };
      endpoints.set(schema?.operationId ?? '', { path: url, takesBody: schema?.body !== undefined, config });
      return { schema: { ...withAnyError(schema), ...(isOpen(config) && { security: [] }) }, url };
    },
    transformObject: (given) =>
      withAnyMembers(complete('openapiObject' in given ? given.openapiObject : given.swaggerObject, endpoints)),
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, i) => (typeof json.$id === 'string' ? json.$id : `def-${i}`),
    },
  };
}

/** Adds an entry that stands for statuses that are not described. Only for the document. */
function withAnyError(schema: FastifySchema): FastifySchema {
  const content = { 'application/json': { schema: ref(ErrorBody) } };
  return { ...schema, response: { ...Object(schema?.response), default: { description: 'Any other error.', content } } };
}
