import { isObject, type JsonObject, type MadeCall, type OfferedTool, type ProtocolTools, type RequestBody } from '@svc/contracts';
import { nameIn } from '../common/json-shapes.ts';
import {
  chosenIn,
  inputText,
  isListing,
  itemsAt,
  listedIn,
  namedTool,
  vendorsCall,
  vendorsTool,
  withCalls,
} from '../common/tools.ts';
import { withholdFrom } from '../common/withhold.ts';

/** The tools of the chat format, including the extensions that vendors share. */
export const CHAT_TOOLS: ProtocolTools = {
  inRequest: (body) => {
    const messages = itemsAt(body.messages, 'messages');
    return {
      offered: offeredIn(body),
      chosen: [...chosenIn(body.tool_choice), ...chosenIn(body.function_call)],
      results: withCalls(
        messages.flatMap(resultIn),
        messages.flatMap(([message, path]) => callsIn(message, path)),
      ),
    };
  },
  calls: (value) => saidIn(value).flatMap(([said, path]) => callsIn(said, path).map(({ call }) => call)),
  listed: (value) =>
    saidIn(value).flatMap(([{ vendor_calls }, path]) =>
      itemsAt(vendor_calls, `${path}.vendor_calls`).flatMap(([item, at]) => listedIn(item, at)),
    ),
  withhold: (body, withheld) => withholdFrom(body, withheld, resultWith),
};

/** What the choices of an answer or a frame say. */
function saidIn({ choices }: { choices?: unknown }): (readonly [said: JsonObject, path: string])[] {
  return itemsAt(choices, 'choices').flatMap(([choice, path]) =>
    ['message', 'delta', 'renamed'].flatMap((name) => {
      const said = choice[name];
      return isObject(said) ? [[said, `${path}.${name}`] as const] : [];
    }),
  );
}

/** Fields that make a vendor search, or run its plugins. */
const SEARCHES = ['web_search_options', 'search_parameters'];

function offeredIn(body: RequestBody): OfferedTool[] {
  return [
    ...itemsAt(body.tools, 'tools').map(([tool, path]) => toolOf(tool, path)),
    ...itemsAt(body.functions, 'functions').map(([tool, path]) => namedTool('function', nameIn(tool.name), tool, path)),
    ...itemsAt(body.plugins, 'plugins').map(([plugin, path]) => vendorsTool({ ...plugin, type: plugin.id ?? null }, path)),
    ...SEARCHES.filter((name) => isObject(body[name])).map((name) =>
      vendorsTool({ ...(body[name] as JsonObject), type: 'web_search' }, name),
    ),
  ];
}

function toolOf(tool: JsonObject, path: string): OfferedTool {
  const { type, function: called, custom, ...rest } = tool;
  if (type === 'custom' || type === 'function' || type == null) {
    const kind = type === 'custom' ? 'custom' : 'function';
    const [own, other] = kind === 'custom' ? [custom, { function: called }] : [called, { custom }];
    const fields = isObject(own) ? own : {};
    return namedTool(kind, nameIn(fields.name), { ...rest, ...other, ...fields } as JsonObject, path);
  }
  return vendorsTool(tool, path);
}

interface Identified {
  readonly id: unknown;
  readonly call: MadeCall;
}

function callsIn(message: JsonObject, path: string): Identified[] {
  const { tool_calls, function_call, vendor_calls, executed_tools } = message;
  return [
    ...itemsAt(tool_calls, `${path}.tool_calls`).flatMap(([call, at]) => callsOf(call, at)),
    ...(isObject(function_call)
      ? [{ id: nameIn(function_call.name), call: functionCall(function_call, `${path}.function_call`) }]
      : []),
    ...itemsAt(vendor_calls, `${path}.vendor_calls`)
      .filter(([call]) => !isListing(call) && !/_(?:result|output)$/.test(nameIn(call.type)))
      .map(([call, at]) => ({ id: call.id, call: vendorsCall(call, at) })),
    ...itemsAt(executed_tools, `${path}.executed_tools`).map(([call, at]) => ({ id: null, call: vendorsCall(call, at) })),
  ];
}

/** Some clients read the function of a call, and others its custom tool. So a call that has both counts as two. */
function callsOf(call: JsonObject, path: string): Identified[] {
  const { id, type, function: called, custom } = call;
  const calls: MadeCall[] = [];
  if (isObject(called)) calls.push(functionCall(called, path));
  if (isObject(custom)) calls.push({ kind: 'custom', name: nameIn(custom.name), input: inputText(custom.input), path });
  if (calls.length === 0)
    calls.push(type === 'function' || type == null ? { kind: 'function', name: '', input: '', path } : vendorsCall(call, path));
  return calls.map((made) => ({ id, call: made }));
}

function functionCall({ name, arguments: input }: JsonObject, path: string): MadeCall {
  return { kind: 'function', name: nameIn(name), input: inputText(input), path };
}

function resultIn([{ role, tool_call_id, name }, path]: readonly [JsonObject, string]): { id: unknown; path: string }[] {
  if (role === 'tool') return [{ id: tool_call_id, path }];
  return role === 'function' ? [{ id: name, path }] : [];
}

function resultWith(message: object, content: string): object {
  const kept = Object.entries(message).filter(([field]) => ['role', 'tool_call_id', 'name'].includes(field));
  return { ...Object.fromEntries(kept), content };
}
