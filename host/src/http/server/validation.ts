import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifySchemaCompiler, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { isVendorPath } from '../errors.ts';
import { closed } from '../schemas/parts.ts';

/** Our schemas are not checked against the schema of schemas, which takes 60 ms of each start: the tests check the description they make. */
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
 * Bodies are taken as they are; what comes in a URL is text and is read as the number or list that the schema asks for.
 * Response schemas describe and never filter: what the kernel gives is what is sent.
 */
export function useValidation(app: FastifyInstance, named: readonly { $id?: string }[]): void {
  app.addHook('onRoute', closeQuery);
  const bodies = formats.default(new Ajv({ ...COMMON, coerceTypes: false }));
  const others = formats.default(new Ajv({ ...COMMON, coerceTypes: 'array' }));
  for (const schema of named) {
    app.addSchema(schema);
    bodies.addSchema(schema);
    others.addSchema(schema);
  }
  const compiler: FastifySchemaCompiler<AnySchema> = ({ schema, httpPart }) =>
    compiledAtFirstUse(httpPart === 'body' ? bodies : others, schema);
  app.setValidatorCompiler(compiler);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** A misspelt filter would show everything. Pages and probes are asked by browsers and monitors, which add parameters of their own. */
function closeQuery(route: RouteOptions): void {
  if (!route.url.startsWith('/v1/') || isVendorPath(route.url)) return;
  const { querystring = Type.Object({}), ...others } = route.schema ?? {};
  route.schema = { ...others, querystring: { ...(querystring as object), ...closed } };
}

/** Compiling all schemas is a tenth of a start, and most servers are asked for few of them. */
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
