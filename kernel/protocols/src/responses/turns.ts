import { type AnswerBody, isObject, type RequestBody } from '@svc/contracts';
import { objectsIn } from '../common/json-shapes.ts';
import { RETRIEVED } from '../common/origin.ts';

export const SPEAKERS: ReadonlyMap<unknown, string> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** Items written by a model, or by the vendor on the model's behalf. */
const WRITTEN = /^(reasoning|compaction|item_reference|program|mcp_list_tools|mcp_approval_request|[a-z_]+_call)$/;

/** The items of a request. A plain string counts as one. */
export function turnsOf({ input }: RequestBody): unknown[] {
  if (Array.isArray(input)) return input;
  return input == null ? [] : [userTurn(input)];
}

export function withTurns(body: RequestBody, turns: readonly unknown[]): RequestBody {
  return { ...body, input: turns };
}

export function addText(body: RequestBody, at: number, text: string): void {
  body.input = turnsOf(body).toSpliced(at, 0, { ...userTurn(text), ...RETRIEVED });
}

function userTurn(content: unknown): object {
  return { type: 'message', role: 'user', content };
}

export function rolesOf({ input }: RequestBody): readonly string[] {
  if (Array.isArray(input)) return input.map(roleOf);
  return input == null ? [] : ['user'];
}

function roleOf(item: unknown): string {
  if (!isObject(item)) return 'user';
  const { type, role } = item;
  const name = typeof type === 'string' ? type : '';
  if (/^[a-z_]+_output$/.test(name)) return 'tool';
  return WRITTEN.test(name) ? 'assistant' : (SPEAKERS.get(role) ?? 'user');
}

/** The items of an answer can be sent back unchanged. */
export function turnsOfAnswer({ output }: AnswerBody): readonly unknown[] {
  return objectsIn(output);
}
