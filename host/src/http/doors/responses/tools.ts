import { isObject, type JsonObject, type JsonValue, withoutDate } from '@svc/contracts';
import { arrayAt, objectAt, present, textAt } from '../bad-field.ts';
import type { LeftBehind } from '../left-behind.ts';
import { mayPass } from '../vendor-tools.ts';

/** A function of a namespace: the chat format has no namespaces, so that its name there begins with that of its namespace. */
export interface SpacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The tools of a request in the chat format, and the names that they had. */
export class Tools {
  readonly #left: LeftBehind;
  readonly #tools: JsonObject[] = [];
  readonly #spaced = new Map<string, SpacedName>();
  readonly #listed: readonly string[];
  #choice: JsonValue = null;

  /** @param listed types of a vendor's tools that may pass */
  constructor(left: LeftBehind, listed: readonly string[]) {
    this.#left = left;
    this.#listed = listed;
  }

  /** The name that a tool has in the chat format. */
  chatName(namespace: unknown, name: string): string {
    if (typeof namespace !== 'string' || namespace === '') return name;
    const joined = `${namespace}__${name}`;
    this.#spaced.set(joined, { namespace, name });
    return joined;
  }

  /** Functions of namespaces by their names in the chat format. */
  get spaced(): ReadonlyMap<string, SpacedName> {
    return this.#spaced;
  }

  /** The fields of a chat request. Without a tool there is nothing to choose. */
  fields(parallel_tool_calls: unknown): JsonObject {
    if (this.#tools.length === 0) return {};
    return present({ tools: this.#tools, tool_choice: this.#choice, parallel_tool_calls });
  }

  /** @throws {SvcError} SVC-REQ-001 */
  take(tools: unknown, path: string, namespace: string | null = null): void {
    for (const [index, value] of arrayAt(tools, path).entries())
      this.#takeTool(objectAt(value, `${path}/${index}`), `${path}/${index}`, namespace);
  }

  #takeTool(tool: JsonObject, path: string, namespace: string | null): void {
    const { type, ...rest } = tool;
    if (type === 'function') this.#takeFunction(rest, path, namespace);
    else if (type === 'custom') this.#takeCustom(rest, path, namespace);
    else if (type === 'namespace' && namespace === null) {
      const { name, tools, description, ...others } = rest;
      this.#left.noteAll('tools.namespace', { description, ...others });
      this.take(tools, `${path}/tools`, textAt(name, `${path}/name`));
    } else if (this.#passes(type)) this.#tools.push(tool);
    // A vendor's own tool. Agents send them always, and a model can do without.
    else this.#left.note('tools', withoutDate(textAt(type, `${path}/type`)));
  }

  #takeFunction(tool: JsonObject, path: string, namespace: string | null): void {
    const { name, description, parameters, strict, ...rest } = tool;
    this.#left.noteAll('tools.function', rest);
    const given = this.chatName(namespace, textAt(name, `${path}/name`));
    this.#tools.push({ type: 'function', function: present({ name: given, description, parameters, strict }) });
  }

  #takeCustom(tool: JsonObject, path: string, namespace: string | null): void {
    const { name, description, format, ...rest } = tool;
    this.#left.noteAll('tools.custom', rest);
    const given = this.chatName(namespace, textAt(name, `${path}/name`));
    this.#tools.push({ type: 'custom', custom: present({ name: given, description, format: chatFormat(format) }) });
  }

  /** @throws {SvcError} SVC-REQ-001 */
  choose(choice: unknown): void {
    if (choice === null || choice === undefined) return;
    if (typeof choice === 'string') this.#choice = choice;
    else this.#choice = this.#choiceOf(objectAt(choice, 'body/tool_choice'));
  }

  #choiceOf({ type, ...choice }: JsonObject): JsonValue {
    if (type === 'function' || type === 'custom') return this.#named(type, choice, 'body/tool_choice');
    if (this.#passes(type)) return { ...choice, type: String(type) };
    if (type !== 'allowed_tools') {
      this.#left.note('tool_choice', withoutDate(textAt(type, 'body/tool_choice/type')));
      return null;
    }
    const tools = arrayAt(choice.tools, 'body/tool_choice/tools').flatMap((value, index) => {
      const path = `body/tool_choice/tools/${index}`;
      const { type: of, ...tool } = objectAt(value, path);
      if (of === 'function' || of === 'custom') return [this.#named(of, tool, path)];
      if (this.#passes(of)) return [{ ...tool, type: String(of) }];
      this.#left.note('tool_choice', textAt(of, `${path}/type`));
      return [];
    });
    if (tools.length === 0) return null;
    return { type: 'allowed_tools', allowed_tools: present({ mode: choice.mode, tools }) };
  }

  #passes(type: unknown): boolean {
    return typeof type === 'string' && mayPass(type, this.#listed);
  }

  #named(type: 'function' | 'custom', { name, namespace }: JsonObject, path: string): JsonObject {
    return { type, [type]: { name: this.chatName(namespace, textAt(name, `${path}/name`)) } };
  }
}

/** The grammar of a custom tool lies one level deeper in the chat format. */
function chatFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(format) || format.type !== 'grammar') return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}
