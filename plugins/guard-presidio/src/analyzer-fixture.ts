import { behaviours, startUpstream, type Upstream } from '@svc/sdk/testing';

/** A behaviour that answers with this JSON. */
export const answering = (value: unknown) => behaviours.raw(200, behaviours.JSON_HEADERS, JSON.stringify(value));

const PATTERNS = { EMAIL_ADDRESS: /\S+@\S+\.\w+/gu, CREDIT_CARD: /\d{16}/gu, AGE: /(?<=aged )\d+/gu };

/** An upstream that answers as Presidio does, with offsets in code points. */
export function analyzer(): Promise<Upstream> {
  return startUpstream((request, response) => {
    const { text, entities = Object.keys(PATTERNS) } = request.body as { text: string; entities?: string[] };
    const found = Object.entries(PATTERNS).flatMap(([entity_type, pattern]) =>
      [...text.matchAll(pattern)].map(({ 0: value, index }) => {
        const start = [...text.slice(0, index)].length;
        return {
          entity_type,
          start,
          end: start + [...value].length,
          score: entity_type === 'AGE' ? 0.6 : 1,
          analysis_explanation: null,
        };
      }),
    );
    const listed = found.filter(({ entity_type }) => entities.includes(entity_type));
    return answering(listed)(request, response);
  });
}
