import { isObject } from '@svc/contracts';
import { objectsIn } from '../common/json-shapes.ts';

/** The usage object of an answer or frame; null if there is none. */
export function usageIn(answer: Readonly<Record<string, unknown>>): unknown {
  const { usage, x_groq, choices, usageMetadata, meta, timings } = answer;
  if (usage != null) return usage;
  if (isObject(x_groq) && x_groq.usage != null) return x_groq.usage;
  const last = objectsIn(choices).findLast((choice) => isObject(choice.usage))?.usage;
  // The counts of llama.cpp and Ollama are in the answer itself.
  return last ?? usageMetadata ?? meta ?? timings ?? (answer.eval_count === undefined ? null : answer);
}
