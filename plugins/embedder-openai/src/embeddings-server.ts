import { createHash } from 'node:crypto';
import { type Behaviour, behaviours } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { OpenAiOptions } from './options.ts';

export const DIMENSIONS = 8;

export function optionsFor(given: object): OpenAiOptions {
  const options: unknown = Value.Default(OpenAiOptions, { model: 'embed-1', dimensions: DIMENSIONS, ...given });
  Value.Assert(OpenAiOptions, options);
  return options;
}

/** A vector derived from the text. */
export function vectorFor(text: string): Float32Array {
  const bytes = createHash('sha256').update(text).digest();
  return Float32Array.from({ length: DIMENSIONS }, (_, i) => bytes.readInt32LE(i * 4) / 2 ** 31);
}

/** Answers like an embeddings server. Sends base64 if the request asks for it and `base64` is not false. */
export function embeddings({ base64 = true } = {}): Behaviour {
  return (request, response) => {
    const { input, model } = request.body as { input: string[]; model: string };
    const data = input.map((text, index) => {
      const vector = vectorFor(text);
      return { object: 'embedding', index, embedding: base64 ? Buffer.from(vector.buffer).toString('base64') : [...vector] };
    });
    // The order does not matter, because each entry has its index.
    const body = JSON.stringify({ object: 'list', model, data: data.reverse(), usage: { prompt_tokens: 1, total_tokens: 1 } });
    return behaviours.raw(200, behaviours.JSON_HEADERS, body)(request, response);
  };
}
