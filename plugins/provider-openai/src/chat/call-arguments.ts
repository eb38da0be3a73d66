import type { JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/** Some servers send a call's arguments as an object. The format requires a JSON string. */
export function writeArguments(called: JsonObject): void {
  if (isObject(called.arguments)) called.arguments = JSON.stringify(called.arguments);
}
