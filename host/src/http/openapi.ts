import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { pep440, VERSION } from '@svc/kernel';
import type { FastifySchema } from 'fastify';
import { ErrorBody, ref } from './schemas.ts';

/** How openapi.json is made from the schemas of the endpoints. */
export function openApi(): FastifyDynamicSwaggerOptions {
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
        { name: 'audit', description: 'Runs, ledger and inventory for auditors.' },
        { name: 'routes', description: 'What is configured.' },
        { name: 'rag', description: 'Documents and retrieval.' },
        { name: 'operations', description: 'Health and metrics.' },
        { name: 'pages', description: 'HTML pages for people.' },
      ],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: '`svc-` and 64 hexadecimal characters.' } },
      },
      security: [{ key: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: withCommonErrors(schema, route.config?.public === true), url }),
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, i) => (typeof json.$id === 'string' ? json.$id : `def-${i}`),
    },
  };
}

const json = { 'application/json': { schema: ref(ErrorBody) } };

/** Adds what every endpoint may answer: 401 unless it is public, and any other error. In the document only. */
function withCommonErrors(schema: FastifySchema, isPublic: boolean): FastifySchema {
  if (schema?.hide === true) return schema;
  const refused = isPublic ? {} : { 401: { description: 'The key is missing or unknown.', content: json } };
  const other = { default: { description: 'Any other error.', content: json } };
  return { ...schema, response: { ...refused, ...Object(schema?.response), ...other } };
}
