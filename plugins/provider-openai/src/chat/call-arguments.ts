import type { JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/** Some servers give the arguments of a call as an object, where the format has its JSON. */
export function writeArguments(called: JsonObject): void {
  if (isObject(called.arguments)) called.arguments = JSON.stringify(called.arguments);
}
