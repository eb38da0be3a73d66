import {
  isObject,
  type JsonObject,
  type MadeCall,
  type OfferedTool,
  type ToolKind,
  type ToolName,
  type ToolResult,
  withoutDate,
} from '@svc/contracts';
import { nameIn, present } from './json-shapes.ts';

/** Fields that are not part of a definition: credentials, and fields that no model reads. */
const LEFT_OUT: ReadonlySet<string> = new Set(['authorization', 'authorization_token', 'headers', 'cache_control']);

/** A vendor's tool of any version: `computer` for `computer_use_preview_2025_03_11`. */
function vendorName(type: unknown): string {
  return withoutDate(type).replace(/(?:_use)?_preview$/, '');
}

/** The name that bridges give to a function in a namespace. */
export function spacedName(namespace: unknown, name: unknown): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}__${nameIn(name)}` : nameIn(name);
}

/** A tool that has a name of its own. @param fields its definition, with its schema in `parameters` */
export function namedTool(kind: ToolKind, name: string, fields: JsonObject, path: string): OfferedTool {
  return { kind, name, called: name, path, definition: definitionOf({ ...fields, kind, name }) };
}

/** A tool that runs at the vendor, or the MCP server that it calls. */
export function vendorsTool(tool: JsonObject, path: string): OfferedTool {
  const { type } = tool;
  if (type === 'mcp' || type === 'mcp_toolset') {
    const name = nameIn(type === 'mcp' ? tool.server_label : tool.mcp_server_name);
    return { kind: 'mcp', name, called: name, path, definition: definitionOf({ ...tool, kind: 'mcp' }) };
  }
  const name = vendorName(type);
  return { kind: 'vendor', name, called: nameIn(tool.name ?? name), path, definition: definitionOf({ ...tool, kind: 'vendor' }) };
}

/** The tools of an MCP server in an item or block that lists them, in any vendor's form. They are named `label/tool`. Empty for other items. */
export function listedIn(item: JsonObject, path: string): OfferedTool[] {
  if (!isListing(item)) return [];
  const server = nameIn(item.server_label ?? item.mcp_server_name);
  return itemsAt(item.tools, `${path}.tools`).map(([{ input_schema, ...tool }, at]) => {
    return namedTool('mcp', `${server}/${nameIn(tool.name)}`, { ...tool, parameters: input_schema ?? null }, at);
  });
}

export function isListing({ type }: JsonObject): boolean {
  return type === 'mcp_list_tools' || type === 'mcp_tool_listing';
}

/** Leaves out absent fields and `strict: false`, because clients of some APIs send them and others do not. */
function definitionOf(fields: JsonObject): JsonObject {
  const read = Object.entries(present(fields)).filter(
    ([name, value]) => !LEFT_OUT.has(name) && !(name === 'strict' && value === false),
  );
  return Object.fromEntries(read);
}

/** The items of any array, with their paths. An item that is not an object appears as an empty object. */
export function itemsAt(value: unknown, path: string): readonly (readonly [item: JsonObject, path: string])[] {
  return Array.isArray(value) ? value.map((item: unknown, at) => [isObject(item) ? item : {}, `${path}.${at}`] as const) : [];
}

/** The input of a call as JSON text. For a custom tool, its text. */
export function inputText(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
}

/** Fields of a call that are not its input. */
const FRAME: ReadonlySet<string> = new Set(['id', 'type', 'status', 'call_id', 'name', 'server_label', 'server_name', 'events']);

/** Tools that are part of a vendor's tool and are called under names of their own. */
const PARTS_OF: ReadonlyMap<string, string> = new Map([
  ['bash_code_execution', 'code_execution'],
  ['text_editor_code_execution', 'code_execution'],
  ['program', 'programmatic_tool_calling'],
]);

/** A call that a vendor runs: a block or an item, in any vendor's form. */
export function vendorsCall(call: JsonObject, path: string): MadeCall {
  const { type, name, input } = call;
  const server = call.server_label ?? call.server_name;
  const rest = input ?? call.arguments ?? Object.fromEntries(Object.entries(call).filter(([field]) => !FRAME.has(field)));
  if (server !== undefined || nameIn(type).startsWith('mcp_'))
    return { kind: 'mcp', name: `${nameIn(server)}/${nameIn(name)}`, input: inputText(rest), path };
  const own = type === 'server_tool_use' ? nameIn(name) : vendorName(nameIn(type).replace(/_call$/, ''));
  return { kind: 'vendor', name: PARTS_OF.get(own) ?? own, input: inputText(rest), path };
}

const MODES: ReadonlySet<string> = new Set(['auto', 'none', 'required', 'any', 'validated']);

/** The tools that a tool choice names, in any vendor's form. */
export function chosenIn(choice: unknown): ToolName[] {
  if (typeof choice === 'string') return MODES.has(choice) ? [] : [{ kind: 'function', name: choice }];
  if (!isObject(choice)) return [];
  const { type } = choice;
  if (typeof type === 'string' && MODES.has(type)) return [];
  if (type === 'allowed_tools') {
    const { tools } = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    return itemsAt(tools, '').flatMap(([tool]) => chosenIn(tool));
  }
  if (type === 'custom') return [{ kind: 'custom', name: namedIn(choice.custom, choice) }];
  if (type === 'function' || type === 'tool' || type === undefined)
    return [{ kind: 'function', name: namedIn(choice.function, choice) }];
  const { kind, name } = vendorsTool(choice, '');
  return [{ kind, name }];
}

function namedIn(inner: unknown, { namespace, name }: JsonObject): string {
  return isObject(inner) ? nameIn(inner.name) : spacedName(namespace, name);
}

/** The results, each with the calls that have its id. A result without an id has no calls. */
export function withCalls(
  results: readonly { readonly id: unknown; readonly path: string }[],
  calls: readonly { readonly id: unknown; readonly call: MadeCall }[],
): ToolResult[] {
  const byId = new Map<unknown, MadeCall[]>();
  for (const { id, call } of calls) {
    const known = byId.get(id);
    if (known === undefined) byId.set(id, [call]);
    else known.push(call);
  }
  return results.map(({ id, path }) => ({ path, calls: (id != null && byId.get(id)) || [] }));
}
