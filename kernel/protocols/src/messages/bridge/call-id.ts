/** Ids of tool calls that the API accepts. */
const TAKEN = /^[a-zA-Z0-9_-]+$/;
const OTHER = /[^a-zA-Z0-9-]/g;

/**
 * The id of a tool call for the API: unchanged if it is accepted, else one that names each other character by its number, since ids of other
 * vendors may contain any. A call and its result get the same id, in every later turn too, and two calls never get one.
 */
export function callId(id: string): string {
  return TAKEN.test(id) ? id : `call_${id.replace(OTHER, (unit) => `_${unit.charCodeAt(0).toString(16)}_`)}`;
}
