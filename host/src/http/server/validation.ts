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

/** The schemas are not checked against the meta-schema, which would take 60 ms of each start. A test checks the description generated from them. */
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
 * Validates requests. Values in bodies are not converted. URL parameters are text, and are converted to the number or list in their schema. Response
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

/**
 * Refuses unknown query parameters: a misspelt filter would show everything. Pages and probes accept them, because browsers and monitors add some.
 */
function closeQuery(route: RouteOptions): void {
  if (!route.url.startsWith('/v1/') || isVendorPath(route.url)) return;
  const { querystring = Type.Object({}), ...others } = route.schema ?? {};
  route.schema = { ...others, querystring: { ...(querystring as object), ...closed } };
}

/** Compiles each schema on first use. Compiling all of them would take a tenth of a start, and most servers use few. */
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
