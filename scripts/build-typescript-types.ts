// The types of @svc/client: one for each schema of openapi.json.
import { referred, type Schema, type Schemas } from './build-api-schemas.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

export function typescriptTypes(schemas: Schemas): string {
  const types = Object.entries(schemas).map(([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};\n`);
  return `// Generated from openapi.json by \`npm run setup\`. Do not edit.\n\n${types.join('\n')}`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return referred(schema.$ref);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type === 'object') return objectOf(schema);
  return SIMPLE[schema.type ?? ''] ?? 'unknown';
}

/** Without `properties`, it is a map with any values, unless the schema says more. */
function objectOf({ properties, required = [], additionalProperties: others = properties === undefined }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(
    ([key, schema]) => `${comment(schema)}readonly ${named(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)};`,
  );
  const open = others === false ? [] : [`readonly [key: string]: ${others === true ? 'unknown' : typeOf(others)};`];
  return `{\n${[...fields, ...open].join('\n')}\n}`;
}

function named(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function comment({ description }: Schema): string {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '*\\/')} */\n`;
}
