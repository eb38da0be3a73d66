import { STATUS_CODES } from 'node:http';

/** A described error: a status of an operation. */
interface Place {
  readonly operationId: string;
  readonly status: string;
  readonly response: object;
  /** Replaces the response by a reference. */
  readonly refer: (reference: { readonly $ref: string }) => void;
}

interface Group {
  readonly response: object;
  readonly places: readonly Place[];
}

interface Described {
  readonly operationId?: string;
  responses?: Record<string, object>;
}

/**
 * Moves the errors that several operations have in common to `components/responses`. The most frequent one of a status is named as HTTP names the
 * status (`Forbidden`), and others after the first operation that has them (`ForbiddenOfCreateRun`).
 * @returns the components
 */
export function shareErrors(operations: readonly Described[]): Record<string, object> {
  const groups = operations.flatMap(errorsOf).reduce((found, place) => {
    const key = `${place.status} ${JSON.stringify(place.response)}`;
    const { places = [] } = found.get(key) ?? {};
    return found.set(key, { response: place.response, places: [...places, place] });
  }, new Map<string, Group>());
  const shared = [...groups.values()].filter(({ places }) => places.length > 1);
  // The sort is stable: of equally frequent responses, the first one of the document comes first.
  shared.sort((a, b) => b.places.length - a.places.length);
  const components: Record<string, object> = {};
  for (const { response, places } of shared) {
    const name = nameOf(places, components);
    components[name] = response;
    for (const { refer } of places) refer({ $ref: `#/components/responses/${name}` });
  }
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function errorsOf({ operationId = '', responses = {} }: Described): Place[] {
  return Object.entries(responses)
    .filter(([status]) => status === 'default' || status >= '400')
    .map(([status, response]) => {
      const refer: Place['refer'] = (reference) => {
        responses[status] = reference;
      };
      return { operationId, status, response, refer };
    });
}

function nameOf([first]: readonly Place[], taken: Readonly<Record<string, object>>): string {
  if (first === undefined) throw new Error('a shared response has a place');
  const phrase = first.status === 'default' ? 'AnyError' : phraseOf(first.status);
  if (!Object.hasOwn(taken, phrase)) return phrase;
  const name = `${phrase}Of${first.operationId.charAt(0).toUpperCase()}${first.operationId.slice(1)}`;
  if (Object.hasOwn(taken, name)) throw new Error(`two responses are called ${name}`);
  return name;
}

/** `TooManyRequests` for 429; `Status529` for a status that HTTP does not name. */
function phraseOf(status: string): string {
  const words = STATUS_CODES[status]?.match(/[A-Za-z]+/g);
  return words?.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') ?? `Status${status}`;
}
