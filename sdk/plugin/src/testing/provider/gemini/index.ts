import { JSON_HEADERS, raw, SSE_HEADERS, UPSTREAM_MARKER } from '../upstream/answers.ts';
import type { Behaviour } from '../upstream/behaviour.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An answer of the Gemini API. */
export interface GeminiAnswer {
  readonly candidates: readonly Fields[];
  readonly [field: string]: unknown;
}

/** A whole answer with these parts. */
export function answerOf(parts: readonly Fields[], more: Fields = {}): GeminiAnswer {
  return {
    candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0, ...more }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
    modelVersion: 'upstream-model',
    responseId: 'upstream',
  };
}

/** An answer as the API streams it: texts in small pieces, other parts whole. The last frame has the finish reason, and also content. */
export function framesOf({ candidates, usageMetadata, ...head }: GeminiAnswer): Fields[] {
  const [candidate = {}] = candidates;
  const { content, finishReason, index, ...more } = candidate;
  const given = (content as { parts?: readonly Fields[] } | undefined)?.parts ?? [];
  const parts = given.flatMap(piecesOf);
  const said = parts.length === 0 ? [{ text: '' }] : parts;
  return said.map((part, at) => {
    const isLast = at === said.length - 1;
    const ending = isLast ? { finishReason, ...more } : {};
    return { candidates: [{ content: { parts: [part], role: 'model' }, ...ending, index }], usageMetadata, ...head };
  });
}

function piecesOf(part: Fields): Fields[] {
  const { text, thoughtSignature, ...rest } = part;
  if (typeof text !== 'string') return [part];
  const pieces = text.match(/.{1,8}/gsu) ?? [''];
  return pieces.map((piece, at) => ({
    ...rest,
    text: piece,
    ...(at === pieces.length - 1 && thoughtSignature !== undefined && { thoughtSignature }),
  }));
}

/** Streams these frames, then ends. */
export function events(frames: readonly Fields[]): Behaviour {
  return raw(200, SSE_HEADERS, frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join(''));
}

/** Answers like a model, streamed if the path requests that. Without `parts`, echoes the last text. */
export function answer(parts?: readonly Fields[], more?: Fields): Behaviour {
  return async (request, response) => {
    const whole = answerOf(parts ?? [{ text: `upstream: ${lastTextIn(request.body)}` }], more);
    const isStream = request.path.includes(':streamGenerateContent');
    await (isStream ? events(framesOf(whole)) : raw(200, JSON_HEADERS, JSON.stringify(whole)))(request, response);
  };
}

/** Fails with this status. Its message contains {@link UPSTREAM_MARKER}. */
export function failure(status: number, code: string): Behaviour {
  return raw(
    status,
    JSON_HEADERS,
    JSON.stringify({ error: { code: status, message: `Refused: ${UPSTREAM_MARKER}`, status: code } }),
  );
}

function lastTextIn(body: unknown): string {
  const contents: unknown = Object(body).contents;
  const parts: unknown = Object(Array.isArray(contents) ? contents.at(-1) : undefined).parts;
  return (Array.isArray(parts) ? parts : []).map((part) => String(Object(part).text ?? JSON.stringify(part))).join(' ');
}
