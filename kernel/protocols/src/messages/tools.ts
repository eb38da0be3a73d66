import { isObject, type JsonObject, type MadeCall, type OfferedTool, type ProtocolTools } from '@svc/contracts';
import { nameIn } from '../common/json-shapes.ts';
import { callersTool, chosenIn, inputText, itemsAt, vendorsCall, vendorsTool, withCalls } from '../common/tools.ts';
import { withholdFrom } from '../common/withhold.ts';

/** Blocks that are not calls. An unknown block may be a call. */
const SAID =
  /^(?:text|thinking|redacted_thinking|image|document|search_result|container_upload|compaction|fallback|tool_reference|.*_result)$/;

/** Tools of the Messages API. */
export const MESSAGES_TOOLS: ProtocolTools = {
  inRequest: (body) => {
    const blocks = itemsAt(body.messages, 'messages').flatMap(([{ content }, path]) => itemsAt(content, `${path}.content`));
    return {
      offered: [
        ...itemsAt(body.tools, 'tools').map(([tool, path]) => toolOf(tool, path)),
        ...itemsAt(body.mcp_servers, 'mcp_servers').map(([server, path]) =>
          vendorsTool({ ...server, type: 'mcp', server_label: server.name ?? null }, path),
        ),
      ],
      chosen: chosenIn(body.tool_choice),
      results: withCalls(
        blocks.filter(([{ type }]) => type === 'tool_result').map(([{ tool_use_id }, path]) => ({ id: tool_use_id, path })),
        blocks.flatMap(([block, path]) => callOf(block, path).map((call) => ({ id: block.id, call }))),
      ),
    };
  },
  calls: (value, path) => {
    if (path !== '') return callOf(value as JsonObject, path);
    const { content, content_block, message } = value as JsonObject;
    const begun = isObject(message) ? message.content : content;
    return [
      ...itemsAt(begun, 'content').flatMap(([block, at]) => callOf(block, at)),
      ...(isObject(content_block) ? callOf(content_block, 'content') : []),
    ];
  },
  withhold: (body, withheld) => withholdFrom(body, withheld, resultWith),
};

function toolOf(tool: JsonObject, path: string): OfferedTool {
  const { type, name, input_schema, ...rest } = tool;
  if (type != null && type !== 'custom') return vendorsTool(tool, path);
  return callersTool('function', nameIn(name), { ...rest, parameters: input_schema ?? null }, path);
}

function callOf(block: JsonObject, path: string): MadeCall[] {
  const { type, name, input } = block;
  if (type === 'tool_use') return [{ kind: 'function', name: nameIn(name), input: inputText(input), path }];
  return SAID.test(nameIn(type)) ? [] : [vendorsCall(block, path)];
}

function resultWith(block: object, content: string): object {
  const kept = Object.entries(block).filter(([field]) => ['type', 'tool_use_id', 'is_error', 'cache_control'].includes(field));
  return { ...Object.fromEntries(kept), content };
}
