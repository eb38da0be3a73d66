import { isObject, type JsonObject, type MadeCall, type OfferedTool, type ProtocolTools } from '@svc/contracts';
import { nameIn } from '../common/json-shapes.ts';
import { chosenIn, inputText, itemsAt, listedIn, namedTool, vendorsCall, vendorsTool, withCalls } from '../common/tools.ts';
import { withholdFrom } from '../common/withhold.ts';

/** Blocks that are not calls. An unknown block may be a call. */
const SAID =
  /^(?:text|thinking|redacted_thinking|image|document|search_result|container_upload|compaction|fallback|tool_reference|mcp_tool_listing|.*_result)$/;

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
        ...(isObject(body.container)
          ? itemsAt(body.container.skills, 'container.skills').map(([skill, path]) => skillOf(skill, path))
          : []),
        ...blocks.flatMap(([block, path]) => [...listedIn(block, path), ...addedIn(block, path)]),
      ],
      chosen: chosenIn(body.tool_choice),
      results: withCalls(
        blocks.filter(([{ type }]) => type === 'tool_result').map(([{ tool_use_id }, path]) => ({ id: tool_use_id, path })),
        blocks.flatMap(([block, path]) => callOf(block, path).map((call) => ({ id: block.id, call }))),
      ),
    };
  },
  calls: (value, path) => blocksOf(value as JsonObject, path).flatMap(([block, at]) => callOf(block, at)),
  listed: (value, path) => blocksOf(value as JsonObject, path).flatMap(([block, at]) => listedIn(block, at)),
  withhold: (body, withheld) => withholdFrom(body, withheld, resultWith),
};

function toolOf(tool: JsonObject, path: string): OfferedTool {
  const { type, name, input_schema, ...rest } = tool;
  if (type != null && type !== 'custom') return vendorsTool(tool, path);
  return namedTool('function', nameIn(name), { ...rest, parameters: input_schema ?? null }, path);
}

/** A skill has instructions and code for the vendor's code execution. No call names it. */
function skillOf(skill: JsonObject, path: string): OfferedTool {
  return namedTool('vendor', `skill/${nameIn(skill.type)}/${nameIn(skill.skill_id)}`, skill, path);
}

/** A definition that a turn adds. A turn may also refer to a tool that the request offers already. */
function addedIn({ type, tool }: JsonObject, path: string): OfferedTool[] {
  if (type !== 'tool_addition' || !isObject(tool) || !isObject(tool.definition)) return [];
  return [toolOf(tool.definition, path)];
}

/** The blocks of an answer or a frame. A part is one block. */
function blocksOf(value: JsonObject, path: string): readonly (readonly [block: JsonObject, path: string])[] {
  if (path !== '') return [[value, path]];
  const { content, content_block, message } = value;
  const blocks = itemsAt(isObject(message) ? message.content : content, 'content');
  return isObject(content_block) ? [...blocks, [content_block, 'content']] : blocks;
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
