import type { JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/** Converts a call's arguments to a JSON string, which the format requires. Some servers send an object. */
export function writeArguments(called: JsonObject): void {
  if (isObject(called.arguments)) called.arguments = JSON.stringify(called.arguments);
}
