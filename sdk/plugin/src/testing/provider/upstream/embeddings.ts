import { createHash } from 'node:crypto';
import { JSON_HEADERS, raw } from './answers.ts';
import type { Behaviour } from './behaviour.ts';

const DIMENSIONS = 4;

/** Answers like an embeddings server. Each vector depends only on its text. The order is arbitrary, and vectors are in base64 if requested. */
export function embeddings(): Behaviour {
  return (request, response) => {
    const { input, model, encoding_format } = request.body as { input: string[]; model: string; encoding_format?: string };
    const data = input.map((text, index) => {
      const vector = vectorOf(text);
      const embedding = encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
      return { object: 'embedding', index, embedding };
    });
    const usage = { prompt_tokens: input.length, total_tokens: input.length };
    const body = JSON.stringify({ object: 'list', model, data: data.reverse(), usage });
    return raw(200, JSON_HEADERS, body)(request, response);
  };
}

function vectorOf(text: string): Float32Array<ArrayBuffer> {
  const bytes = createHash('sha256').update(text).digest();
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => bytes.readInt32LE(at * 4) / 2 ** 31);
}
