import type { JsonObject } from '@svc/sdk';
import {
  objectsIn,
  RETRIEVED,
  type RequestBody,
  type RequestFacts,
  type RequestParameters,
  parametersOf as tracedParameters,
} from '@svc/sdk/protocol';
import { partsIn } from './parts.ts';

export function turnsOf({ contents }: RequestBody): unknown[] {
  return Array.isArray(contents) ? contents : [];
}

export function rolesOf(body: RequestBody): readonly string[] {
  return turnsOf(body).map((turn) => {
    const role = typeof turn === 'object' && turn !== null ? Reflect.get(turn, 'role') : undefined;
    if (role === 'model') return 'assistant';
    return role === 'function' ? 'tool' : typeof role === 'string' ? role : 'user';
  });
}

/** Tool results must come first in the turn after their calls, so the text is added behind them. */
export function addText(body: RequestBody, at: number, text: string): void {
  const turns = turnsOf(body);
  const turn = turns[at];
  const parts = partsIn(turn);
  if (parts.some(({ functionResponse }) => functionResponse !== undefined))
    turns[at] = { ...(turn as JsonObject), parts: [...parts, { text, ...RETRIEVED }] };
  else turns.splice(at, 0, { role: 'user', parts: [{ text }], ...RETRIEVED });
}

export function factsOf({ generationConfig }: RequestBody): RequestFacts {
  const { candidateCount, maxOutputTokens, responseMimeType } = Object(generationConfig);
  return {
    answers: Number.isInteger(candidateCount) && candidateCount > 0 ? candidateCount : 1,
    max_output_tokens: typeof maxOutputTokens === 'number' ? maxOutputTokens : null,
    wantsJson: responseMimeType === 'application/json',
  };
}

export function parametersOf({ generationConfig }: RequestBody): RequestParameters {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, thinkingConfig } = Object(generationConfig);
  return tracedParameters(
    {
      temperature,
      top_p: topP,
      top_k: topK,
      frequency_penalty: frequencyPenalty,
      presence_penalty: presencePenalty,
      seed,
    },
    Object(thinkingConfig).thinkingLevel,
  );
}

/** The parts of a request that a model reads, without signatures. */
export function readIn(body: RequestBody): unknown {
  return [partsIn(body.systemInstruction), ...objectsIn(body.contents).map(partsIn)].map((parts) => parts.map(unsigned));
}

export function unsigned({ thoughtSignature: _, ...part }: JsonObject): JsonObject {
  return part;
}
