import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { pep440, VERSION } from '@svc/kernel/version';
import type { FastifySchema } from 'fastify';
import { ErrorBody, ref } from '../schemas.ts';
import { complete } from './complete.ts';

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
        { name: 'keys', description: 'Keys that are created at run time.' },
        { name: 'operations', description: 'Health, metrics, and what operators change.' },
        { name: 'pages', description: 'HTML pages for people.' },
      ],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: '`svc-` and 64 hexadecimal characters.' } },
      },
      security: [{ key: [] }],
    },
    transformObject: (document) => complete('openapiObject' in document ? document.openapiObject : document.swaggerObject),
    transform: ({ schema, url }) => ({ schema: withAnyError(schema), url }),
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, i) => (typeof json.$id === 'string' ? json.$id : `def-${i}`),
    },
  };
}

/** What stands for statuses that are not told. In the document only. */
function withAnyError(schema: FastifySchema): FastifySchema {
  if (schema?.hide === true) return schema;
  const content = { 'application/json': { schema: ref(ErrorBody) } };
  return { ...schema, response: { ...Object(schema?.response), default: { description: 'Any other error.', content } } };
}
