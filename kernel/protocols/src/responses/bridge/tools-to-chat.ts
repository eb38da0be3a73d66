import { isObject, type JsonObject, type JsonValue, withoutDate } from '@svc/contracts';
import { arrayAt, objectAt, textAt } from '../../common/bad-field.ts';
import { present } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';

/** A function in a namespace. The chat format has no namespaces, so there the function's name is prefixed with its namespace. */
export interface SpacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Converts the tools of a request to the chat format, and keeps their original names. Vendors' own tools have the same form in both APIs. */
export class ToolsToChat {
  readonly #lost: Lost;
  readonly #tools: JsonObject[] = [];
  readonly #spaced = new Map<string, SpacedName>();
  #choice: JsonValue = null;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  /** The name of a tool in the chat format. */
  chatName(namespace: unknown, name: string): string {
    if (typeof namespace !== 'string' || namespace === '') return name;
    const joined = `${namespace}__${name}`;
    this.#spaced.set(joined, { namespace, name });
    return joined;
  }

  /** Functions in namespaces, by their name in the chat format. */
  get spaced(): ReadonlyMap<string, SpacedName> {
    return this.#spaced;
  }

  /** The tool fields of the chat request. None without tools. */
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
    else if (type !== 'namespace') this.#takeVendors(tool, path, namespace);
    else if (namespace === null) {
      const { name, tools, description, ...others } = rest;
      this.#lost.noteAll('tools.namespace', { description, ...others });
      this.take(tools, `${path}/tools`, textAt(name, `${path}/name`));
    } else this.#lost.note('tools.namespace', 'namespace');
  }

  #takeFunction(tool: JsonObject, path: string, namespace: string | null): void {
    const { name, description, parameters, strict, ...rest } = tool;
    this.#lost.noteAll('tools.function', rest);
    const given = this.chatName(namespace, textAt(name, `${path}/name`));
    this.#tools.push({ type: 'function', function: present({ name: given, description, parameters, strict }) });
  }

  #takeCustom(tool: JsonObject, path: string, namespace: string | null): void {
    const { name, description, format, ...rest } = tool;
    this.#lost.noteAll('tools.custom', rest);
    const given = this.chatName(namespace, textAt(name, `${path}/name`));
    this.#tools.push({ type: 'custom', custom: present({ name: given, description, format: chatFormat(format) }) });
  }

  /** Copies a vendor's own tool. Tools that the route does not allow were removed before. */
  #takeVendors(tool: JsonObject, path: string, namespace: string | null): void {
    const type = textAt(tool.type, `${path}/type`);
    if (namespace === null) this.#tools.push(tool);
    else this.#lost.note('tools.namespace', withoutDate(type));
  }

  /** @throws {SvcError} SVC-REQ-001 */
  choose(choice: unknown): void {
    if (choice === null || choice === undefined) return;
    if (typeof choice === 'string') this.#choice = choice;
    else this.#choice = this.#choiceOf(objectAt(choice, 'body/tool_choice'));
  }

  #choiceOf({ type, ...choice }: JsonObject): JsonValue {
    if (type === 'function' || type === 'custom') return this.#named(type, choice, 'body/tool_choice');
    if (type !== 'allowed_tools') return { ...choice, type: textAt(type, 'body/tool_choice/type') };
    const { mode, tools: allowed, ...rest } = choice;
    this.#lost.noteAll('tool_choice', rest);
    const tools = arrayAt(allowed, 'body/tool_choice/tools').map((value, index) => {
      const path = `body/tool_choice/tools/${index}`;
      const { type: of, ...tool } = objectAt(value, path);
      return of === 'function' || of === 'custom' ? this.#named(of, tool, path) : { ...tool, type: textAt(of, `${path}/type`) };
    });
    if (tools.length === 0) return null;
    return { type: 'allowed_tools', allowed_tools: present({ mode, tools }) };
  }

  #named(type: 'function' | 'custom', { name, namespace, ...rest }: JsonObject, path: string): JsonObject {
    this.#lost.noteAll('tool_choice', rest);
    return { type, [type]: { name: this.chatName(namespace, textAt(name, `${path}/name`)) } };
  }
}

/** In the chat format, the grammar of a custom tool is one level deeper. */
function chatFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(format) || format.type !== 'grammar') return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}
