import type { JsonObject } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';

/** The parts of a content. */
export function partsIn(content: unknown): JsonObject[] {
  return typeof content === 'object' && content !== null ? objectsIn(Reflect.get(content, 'parts')) : [];
}

/** A text that a model thought or said. */
export function isText(part: JsonObject): part is JsonObject & { readonly text: string } {
  return typeof part.text === 'string';
}

/** Fields that say something of a part, and are none of its texts. */
const MARKS: ReadonlySet<string> = new Set(['thought', 'thoughtSignature']);

/** The names of the texts of a part that flows; null: it comes whole. */
export function flowingIn(part: JsonObject): readonly string[] | null {
  const names = Object.keys(part).filter((name) => !MARKS.has(name));
  return names.length > 0 && names.every((name) => typeof part[name] === 'string') ? names : null;
}

/** Whether a part continues the text of the part before it. After a signature a new text begins. */
export function continues(before: JsonObject | undefined, part: JsonObject): boolean {
  if (before === undefined || 'thoughtSignature' in before || before.thought !== part.thought) return false;
  const [flowing, next] = [flowingIn(before), flowingIn(part)];
  return flowing !== null && next !== null && flowing.join() === next.join();
}

/** The part that both make. */
export function joined(before: JsonObject, part: JsonObject): JsonObject {
  const texts = (flowingIn(part) ?? []).map((name) => [name, `${before[name]}${part[name]}`]);
  return { ...before, ...part, ...Object.fromEntries(texts) };
}
