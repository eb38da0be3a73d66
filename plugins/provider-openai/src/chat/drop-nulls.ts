import type { JsonObject } from '@svc/sdk';

/** Many servers send null where OpenAI omits a field. */
export function dropNulls(object: JsonObject, fields: readonly string[]): void {
  for (const field of fields) if (object[field] === null) delete object[field];
}
