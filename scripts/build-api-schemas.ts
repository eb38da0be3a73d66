import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The JSON Schema keywords that openapi.json uses for shapes. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** Schemas by name. */
export type Schemas = Readonly<Record<string, Schema>>;

export function apiSchemas(root: string): Schemas {
  return JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')).components.schemas;
}

export function referred(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
