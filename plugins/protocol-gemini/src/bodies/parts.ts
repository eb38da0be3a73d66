import type { JsonObject } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';

export function partsIn(content: unknown): JsonObject[] {
  return typeof content === 'object' && content !== null ? objectsIn(Reflect.get(content, 'parts')) : [];
}

/** Whether a part is text or thinking. */
export function isText(part: JsonObject): part is JsonObject & { readonly text: string } {
  return typeof part.text === 'string';
}

/** Fields that describe a part but are not part of its text. */
const MARKS: ReadonlySet<string> = new Set(['thought', 'thoughtSignature']);

/** The fields of a part whose texts are streamed. Null if the part arrives whole. */
export function flowingIn(part: JsonObject): readonly string[] | null {
  const names = Object.keys(part).filter((name) => !MARKS.has(name));
  return names.length > 0 && names.every((name) => typeof part[name] === 'string') ? names : null;
}

/** Whether a part continues the text of the previous one. A signature ends a text. */
export function continues(before: JsonObject | undefined, part: JsonObject): boolean {
  if (before === undefined || 'thoughtSignature' in before || before.thought !== part.thought) return false;
  const [flowing, next] = [flowingIn(before), flowingIn(part)];
  return flowing !== null && next !== null && flowing.join() === next.join();
}

/** Joins two parts. */
export function joined(before: JsonObject, part: JsonObject): JsonObject {
  const texts = (flowingIn(part) ?? []).map((name) => [name, `${before[name]}${part[name]}`]);
  return { ...before, ...part, ...Object.fromEntries(texts) };
}
