import { isObject, type JsonObject, type MadeCall, type OfferedTool, type ProtocolTools } from '@svc/contracts';
import { nameIn } from '../common/json-shapes.ts';
import {
  chosenIn,
  inputText,
  isListing,
  itemsAt,
  listedIn,
  namedTool,
  spacedName,
  vendorsCall,
  vendorsTool,
  withCalls,
} from '../common/tools.ts';
import { withholdFrom } from '../common/withhold.ts';

/** Items that are not calls. An unknown item may be a call. */
const SAID = /^(?:message|reasoning|compaction|item_reference|mcp_list_tools|mcp_approval_response|[a-z_]+_output)$/;

/** Tools of the Responses API. */
export const RESPONSES_TOOLS: ProtocolTools = {
  inRequest: ({ tools, tool_choice, input }) => {
    const items = itemsAt(input, 'input');
    return {
      offered: [
        ...offeredIn(tools, 'tools'),
        ...items.flatMap(([item, path]) => (isListing(item) ? listedIn(item, path) : offeredIn(item.tools, `${path}.tools`))),
      ],
      chosen: chosenIn(tool_choice),
      results: withCalls(
        // The output of a local shell has the call's id as its own `id`.
        items.filter(([item]) => isResult(item)).map(([{ call_id, id }, path]) => ({ id: call_id ?? id, path })),
        items.flatMap(([item, path]) => callOf(item, path).map((call) => ({ id: item.call_id, call }))),
      ),
    };
  },
  calls: (value, path) => {
    if (path !== '') return callsInPart(value as JsonObject, path);
    return itemsOf(value as JsonObject, path).flatMap(([item, at]) => callOf(item, at));
  },
  listed: (value, path) => itemsOf(value as JsonObject, path).flatMap(([item, at]) => listedIn(item, at)),
  withhold: (body, withheld) => withholdFrom(body, withheld, resultWith),
};

/** The items of an answer or a frame. A part is one item. */
function itemsOf(value: JsonObject, path: string): readonly (readonly [item: JsonObject, path: string])[] {
  if (path !== '') return [[value, path]];
  const { output, item, response } = value;
  const items = itemsAt(isObject(response) ? response.output : output, 'output');
  return isObject(item) ? [...items, [item, 'output']] : items;
}

/** @param namespace the namespace to which the tools belong */
function offeredIn(tools: unknown, path: string, namespace?: JsonObject): OfferedTool[] {
  return itemsAt(tools, path).flatMap(([tool, at]) => toolsOf(tool, at, namespace));
}

function toolsOf(tool: JsonObject, path: string, namespace: JsonObject | undefined): OfferedTool[] {
  const { type, ...rest } = tool;
  if (type === 'namespace' && namespace === undefined) {
    const { tools, ...itself } = rest;
    return offeredIn(tools, `${path}.tools`, itself);
  }
  if (type !== 'function' && type !== 'custom') return [vendorsTool(tool, path)];
  const name = spacedName(namespace?.name, rest.name);
  return [namedTool(type, name, { ...rest, ...(namespace && { namespace }) }, path)];
}

function callOf(item: JsonObject, path: string): MadeCall[] {
  const { type, namespace, name } = item;
  if (type === undefined || SAID.test(nameIn(type))) return [];
  if (type === 'function_call')
    return [{ kind: 'function', name: spacedName(namespace, name), input: inputText(item.arguments), path }];
  if (type === 'custom_tool_call')
    return [{ kind: 'custom', name: spacedName(namespace, name), input: inputText(item.input), path }];
  return [vendorsCall(item, path)];
}

/** Arguments that arrived in pieces may differ from those of the whole item. If so, they are among its `events`. */
function callsInPart(item: JsonObject, path: string): MadeCall[] {
  const calls = callOf(item, path);
  if (item.type !== 'function_call' || !Array.isArray(item.events)) return calls;
  const others = item.events.filter((text) => typeof text === 'string' && /^\s*\{/.test(text));
  return [...calls, ...others.flatMap((text) => callOf({ ...item, arguments: text }, path))];
}

/** The output of a search for tools is not a result, because it consists of definitions. */
function isResult({ type }: JsonObject): boolean {
  return /_output$/.test(nameIn(type)) && type !== 'tool_search_output';
}

function resultWith(item: object, text: string): object {
  const kept = Object.entries(item).filter(([field]) => ['type', 'id', 'call_id', 'status'].includes(field));
  const type: unknown = Reflect.get(item, 'type');
  const output = type === 'shell_call_output' ? [{ stdout: text, stderr: '', outcome: { type: 'exit', exit_code: 1 } }] : text;
  return { ...Object.fromEntries(kept), output };
}
