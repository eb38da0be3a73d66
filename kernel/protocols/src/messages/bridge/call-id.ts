/** Tool call ids that the API accepts. */
const TAKEN = /^[a-zA-Z0-9_-]+$/;
const OTHER = /[^a-zA-Z0-9-]/g;

/**
 * A tool call id that the API accepts. If the id is accepted, it stays unchanged. Otherwise each invalid character is replaced by its character code.
 * The mapping is unique and stable, so a call and its result match in every later turn.
 */
export function callId(id: string): string {
  return TAKEN.test(id) ? id : `call_${id.replace(OTHER, (unit) => `_${unit.charCodeAt(0).toString(16)}_`)}`;
}
