import { type JsonObject, withoutDate } from '@svc/contracts';
import { arrayAt, badField, objectAt, textAt } from '../../common/bad-field.ts';
import { present } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { isVendorTool } from './vendor-tool.ts';

/**
 * Tools and tool choice in the chat format. Vendors' own tools are copied unchanged: the route has already removed those that it does not allow.
 * @throws {SvcError} SVC-REQ-001
 */
export function toolsToChat(tools: unknown, tool_choice: unknown, lost: Lost): JsonObject {
  const known: JsonObject[] = [];
  const dropped: unknown[] = [];
  for (const [index, value] of arrayAt(tools ?? [], 'body/tools').entries()) {
    const path = `body/tools/${index}`;
    const tool = objectAt(value, path);
    const { type, name } = tool;
    if (type == null || type === 'custom') known.push(functionOf(tool, path, lost));
    else if (isVendorTool(type)) known.push(tool);
    else {
      lost.note('tools', withoutDate(textAt(type, `${path}/type`)));
      dropped.push(name);
    }
  }
  const choice = choiceFields(tool_choice, dropped, lost);
  if (known.length > 0) return { tools: known, ...choice };
  // A tool choice needs tools.
  if (choice.tool_choice !== 'auto' && choice.tool_choice !== 'none') lost.noteAll('', { tool_choice: choice.tool_choice });
  return {};
}

function functionOf(tool: JsonObject, path: string, lost: Lost): JsonObject {
  const { type: _, name, description, input_schema, strict, cache_control, ...rest } = tool;
  // A field that is false can be dropped without loss.
  lost.noteAll('tools', Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== false)));
  const called = present({
    name: textAt(name, `${path}/name`),
    description,
    parameters: objectAt(input_schema, `${path}/input_schema`),
    strict: strict === true ? strict : null,
  });
  return { type: 'function', function: called, ...present({ cache_control }) };
}

const CHOICES: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

/** @param dropped names of tools that were left out, so that a choice of one is lost */
function choiceFields(choice: unknown, dropped: readonly unknown[], lost: Lost): JsonObject {
  if (choice == null) return {};
  const { type, name, disable_parallel_tool_use, ...rest } = objectAt(choice, 'body/tool_choice');
  lost.noteAll('tool_choice', rest);
  if (type === 'tool' && dropped.includes(name)) {
    lost.note('', 'tool_choice');
    return {};
  }
  const tool_choice =
    type === 'tool'
      ? { type: 'function', function: { name: textAt(name, 'body/tool_choice/name') } }
      : CHOICES[textAt(type, 'body/tool_choice/type')];
  if (tool_choice === undefined) throw badField('body/tool_choice/type', 'must be one of auto, any, tool, none');
  return { tool_choice, ...(disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}) };
}
