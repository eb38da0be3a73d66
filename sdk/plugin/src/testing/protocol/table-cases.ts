import type { AnswerBody, FieldTable, RequestBody } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import type { ProtocolConformanceOptions } from './recorded.ts';
import { isShown, stringsOf, withText } from './walk.ts';

/** Text that matches no protocol's keywords or closed formats. */
const MARKER = 'my card is 4111 1111 1111 1111';

/** Law 2: guards see text in any place, unless the gateway itself writes to that place. */
export function tableCases({ protocol, requests, answers, streams }: ProtocolConformanceOptions): ConformanceCase[] {
  const bodies: readonly (readonly [what: string, table: FieldTable, list: readonly object[]])[] = [
    ['request', protocol.request, requests],
    ['answer', protocol.answer, answers],
    ['frame', protocol.frames.table, streams.flat()] as const,
  ];
  return bodies.flatMap(([what, table, list]) => [
    {
      name: `shows text at the place of any string in a ${what}`,
      run: async () => {
        for (const body of list) for (const found of stringsOf(body, table)) assertShown(found, MARKER, table);
      },
    },
    {
      name: `shows text in unknown fields of a ${what}, at every depth`,
      run: async () => {
        for (const body of list)
          for (const holder of objectsOf(body)) {
            const path = [...holder, 'a_field_of_tomorrow'];
            const added = stringsOf(withText(body, path, MARKER), table);
            const found = [...added].find((each) => each.path.join() === path.join());
            assert.present(found, 'the added field');
            assertShown(found, MARKER, table);
          }
      },
    },
    {
      name: `does not treat ids, bytes and signatures of a ${what} as text if they match their pattern`,
      run: async () => {
        for (const body of list)
          for (const found of stringsOf(body, table)) {
            const { opaqueKind, isSealed } = table.placeOf(found.pattern);
            if (isSealed) assert.ok(opaqueKind !== null, `kind opaque together with isSealed at ${found.pattern}`, 'none');
          }
      },
    },
  ]);
}

function assertShown(found: Parameters<typeof isShown>[0], text: string, table: FieldTable): void {
  if (table.placeOf(found.pattern).isOwn) return;
  assert.ok(isShown(found, text, table), `a text at ${found.pattern} to be shown`, 'a place that is not checked');
}

/** Paths of the objects of a body. */
function* objectsOf(value: unknown, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield path;
  for (const [key, member] of Object.entries(value))
    yield* objectsOf(member, [...path, Array.isArray(value) ? Number(key) : key]);
}

function objectsWith(body: RequestBody, mark: string): object[] {
  return [...objectsOf(body)]
    .map((path) => path.reduce<object>((at, step) => Reflect.get(at, step) as object, body))
    .filter((object) => Reflect.get(object, 'svc_origin') === mark);
}

/** Properties of requests and answers that the gateway relies on. */
export function bodyCases({ protocol, requests, answers }: ProtocolConformanceOptions): ConformanceCase[] {
  const unchanged = (body: RequestBody | AnswerBody, look: (body: never) => unknown): void => {
    const before = structuredClone(body);
    look(body as never);
    assert.deepEqual(body, before, 'a body that was read');
  };
  return [
    {
      name: 'gives each turn of a request a role',
      run: async () => {
        for (const body of requests) {
          assert.equal(protocol.rolesOf(body).length, protocol.turnsOf(body).length, 'roles');
          for (const role of protocol.rolesOf(body))
            assert.ok(
              ['system', 'developer', 'user', 'assistant', 'tool'].includes(role),
              'system, user, assistant or tool',
              role,
            );
        }
      },
    },
    {
      name: 'adds a text without changing any other',
      run: async () => {
        for (const body of requests) {
          const asked = structuredClone(body);
          protocol.addText(asked, protocol.turnsOf(asked).length - 1, 'added');
          const [before, after] = [body, asked].map((each) => [...stringsOf(each, protocol.request)].map(({ value }) => value));
          for (const text of before ?? []) assert.ok(after?.includes(text), 'every text of the request', 'a missing text');
          assert.ok(after?.includes('added'), 'the added text', 'none');
          const [holder] = objectsWith(asked, 'retrieved');
          assert.ok(JSON.stringify(holder).includes('"added"'), 'svc_origin: "retrieved" beside the added text', 'no mark');
        }
      },
    },
    {
      name: 'does not change a body when reading it',
      run: async () => {
        for (const body of requests)
          for (const look of [protocol.factsOf, protocol.readIn, protocol.rolesOf]) unchanged(body, look);
        const looks = [protocol.readAnswer, protocol.outcomeOf, protocol.textOf, protocol.contentOf, protocol.writtenIn];
        for (const body of answers) for (const look of looks) unchanged(body, look);
      },
    },
    {
      name: 'rejects an invalid answer as malformed',
      run: async () => {
        for (const value of [null, 1, 'text', [], {}])
          await assert.rejects((async () => protocol.readAnswer(value))(), { kind: 'malformed' });
      },
    },
    {
      name: "sets the gateway's own id and model in the head of an answer",
      run: async () => {
        const marked = { id: 'run-of-the-test', created: 7, model: 'route-of-the-test' };
        for (const body of answers) {
          const headed = protocol.withHead(protocol.readAnswer(structuredClone(body)), marked);
          const text = JSON.stringify(headed);
          assert.ok(text.includes(marked.id) && text.includes(marked.model), 'the id and model of the run', 'others');
        }
      },
    },
  ];
}
