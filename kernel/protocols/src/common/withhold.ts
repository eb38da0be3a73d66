import { isObject, type RequestBody, type Withheld } from '@svc/contracts';
import { define } from './define.ts';
import { isListing } from './tools.ts';

/** Fields that choose among tools. Vendors reject them in a request without tools. */
const CHOICES = ['tool_choice', 'parallel_tool_calls', 'function_call', 'toolConfig'];
const TOOLS = ['tools', 'functions'];

/**
 * Replaces results and removes offered tools.
 * @param resultWith creates a result that contains only this text
 */
export function withholdFrom(
  body: RequestBody,
  withheld: readonly Withheld[],
  resultWith: (result: object, text: string) => object,
): void {
  const removed: (string | number)[][] = [];
  for (const { path, text } of withheld) {
    const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    if (text === undefined) removed.push(steps);
    else define(Object(valueAt(body, steps.slice(0, -1))), String(steps.at(-1)), resultWith(Object(valueAt(body, steps)), text));
  }
  // Removes the last one first, so that the others keep their positions.
  for (const steps of removed.sort(byPlace).reverse()) remove(body, steps);
  if (removed.length > 0 && TOOLS.every((name) => body[name] === undefined))
    for (const name of CHOICES) Reflect.deleteProperty(body, name);
}

/** Also removes a list that becomes empty, because vendors reject empty lists of tools. The list of an MCP server may be empty. */
function remove(body: object, steps: readonly (string | number)[]): void {
  const above = steps.slice(0, -1);
  const holder = Object(valueAt(body, above));
  const last = steps.at(-1);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, String(last));
  if (isListing(Object(valueAt(body, above.slice(0, -1))))) return;
  const isEmpty = Object.keys(holder).length === 0 || (isObject(holder) && holder.type === 'namespace');
  if (isEmpty && above.length > 0) remove(body, above);
}

function valueAt(body: object, steps: readonly (string | number)[]): unknown {
  return steps.reduce<unknown>((at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined), body);
}

function byPlace(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [at, step] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (step !== other)
      return typeof step === 'number' && typeof other === 'number' ? step - other : String(step) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}
