import { EVENT_SCHEMAS, ModelInventory, Operation, RunEvent, RunEvidence } from '@svc/contracts';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler, RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { isVendorPath } from '../errors.ts';
import { closed } from '../schemas/parts.ts';
import * as exported from '../schemas.ts';

/** Every schema with a name, for validation and openapi.json. */
const NAMED: readonly TSchema[] = [
  ...EVENT_SCHEMAS,
  RunEvent,
  ModelInventory,
  RunEvidence,
  Operation,
  ...Object.values(exported).filter((one) => '$id' in one),
];

/** The schemas are not checked against the meta-schema, which takes 60 ms of each start. A test checks the description made from them. */
const OWN_SCHEMAS = { meta: false, validateSchema: false } as const;
const COMMON = {
  ...OWN_SCHEMAS,
  useDefaults: true,
  removeAdditional: false,
  allErrors: false,
  verbose: true,
  strict: false,
} as const;

type Validator = ReturnType<FastifySchemaCompiler<AnySchema>>;

/**
 * Bodies are not coerced. URL parameters are text, and are converted to the number or list in their schema. Response
 * schemas only describe and never filter: the kernel's values are sent unchanged.
 */
export function useValidation(app: FastifyInstance): void {
  app.addHook('onRoute', closeQuery);
  const bodies = formats.default(new Ajv({ ...COMMON, coerceTypes: false }));
  const others = formats.default(new Ajv({ ...COMMON, coerceTypes: 'array' }));
  for (const schema of NAMED) {
    app.addSchema(schema);
    bodies.addSchema(schema);
    others.addSchema(schema);
  }
  const compiler: FastifySchemaCompiler<AnySchema> = ({ schema, httpPart }) =>
    compiledAtFirstUse(httpPart === 'body' ? bodies : others, schema);
  app.setValidatorCompiler(compiler);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** Refuses unknown query parameters: a misspelt filter would show everything. Browsers and monitors add parameters to pages and probes. */
function closeQuery(route: RouteOptions): void {
  if (!route.url.startsWith('/v1/') || isVendorPath(route.url)) return;
  const { querystring = Type.Object({}), ...others } = route.schema ?? {};
  route.schema = { ...others, querystring: { ...(querystring as object), ...closed } };
}

/** Compiling all schemas would be a tenth of a start, and most servers use few of them. */
function compiledAtFirstUse(ajv: Ajv, schema: AnySchema): Validator {
  let compiled: ValidateFunction | undefined;
  const validate: Validator = (data) => {
    compiled ??= ajv.compile(schema);
    const isValid = compiled(data);
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  return validate;
}
