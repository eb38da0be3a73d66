import { behaviours, startUpstream, type Upstream } from '@svc/sdk/testing';

/** A behaviour that answers with this JSON. */
export const answering = (value: unknown) => behaviours.raw(200, behaviours.JSON_HEADERS, JSON.stringify(value));

/** Bounded, so that they take linear time on long texts. */
const PATTERNS = { EMAIL_ADDRESS: /[^\s@]{1,64}@[^\s@]{1,64}\.\w{1,24}/gu, CREDIT_CARD: /\d{16}/gu, AGE: /(?<=aged )\d+/gu };

/** An upstream that answers as Presidio does, with offsets in code points. */
export function analyzer(): Promise<Upstream> {
  return startUpstream((request, response) => {
    const { text, entities = Object.keys(PATTERNS) } = request.body as { text: string; entities?: string[] };
    const found = Object.entries(PATTERNS).flatMap(([entity_type, pattern]) => {
      let [at, counted] = [0, 0];
      /** The number of code points before an offset that is not before the last one. */
      const pointsBefore = (offset: number): number => {
        counted += [...text.slice(at, offset)].length;
        at = offset;
        return counted;
      };
      return [...text.matchAll(pattern)].map(({ 0: value, index }) => ({
        entity_type,
        start: pointsBefore(index),
        end: pointsBefore(index + value.length),
        score: entity_type === 'AGE' ? 0.6 : 1,
        analysis_explanation: null,
      }));
    });
    const listed = found.filter(({ entity_type }) => entities.includes(entity_type));
    return answering(listed)(request, response);
  });
}
