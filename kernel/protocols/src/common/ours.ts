import type { JsonObject } from '@svc/contracts';

/** Without fields that only the gateway may write. */
export function plainOf(answer: JsonObject): JsonObject {
  const fields = Object.entries(answer);
  return fields.some(isOurs) ? Object.fromEntries(fields.filter((field) => !isOurs(field))) : answer;
}

function isOurs([name]: readonly [string, unknown]): boolean {
  return name.startsWith('svc_');
}
