import { isObject, type JsonObject } from '@svc/sdk';
import { arrayAt, choiceIn, type Lost, nameIn, objectAt, present, textAt } from '@svc/sdk/protocol';
import { jsonSchema } from './schema.ts';

/**
 * Functions and tool choice in the chat format, which cannot express the vendor's own tools.
 * @throws {SvcError} SVC-REQ-001
 */
export function toolsToChat(tools: unknown, toolConfig: unknown, lost: Lost): JsonObject {
  const functions: JsonObject[] = [];
  for (const [index, value] of arrayAt(tools ?? [], 'body/tools').entries()) {
    const { functionDeclarations, ...rest } = objectAt(value, `body/tools/${index}`);
    for (const name of Object.keys(rest)) lost.note('tools', name);
    const path = `body/tools/${index}/functionDeclarations`;
    for (const [at, declared] of arrayAt(functionDeclarations ?? [], path).entries())
      functions.push(functionOf(objectAt(declared, `${path}/${at}`), `${path}/${at}`, lost));
  }
  const choice = choiceFields(toolConfig, lost);
  return functions.length === 0 ? {} : { tools: functions, ...choice };
}

function functionOf(
  { name, description, parameters, parametersJsonSchema, ...rest }: JsonObject,
  path: string,
  lost: Lost,
): JsonObject {
  lost.noteAll('tools.functionDeclarations', rest);
  const schema = parametersJsonSchema ?? (parameters === undefined ? null : jsonSchema(parameters));
  return { type: 'function', function: present({ name: textAt(name, `${path}/name`), description, parameters: schema }) };
}

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['AUTO', 'auto'],
  ['VALIDATED', 'auto'],
  ['ANY', 'required'],
  ['NONE', 'none'],
]);

function choiceFields(config: unknown, lost: Lost): JsonObject {
  if (config == null) return {};
  const { functionCallingConfig, ...others } = objectAt(config, 'body/toolConfig');
  lost.noteAll('toolConfig', others);
  if (functionCallingConfig == null) return {};
  const place = 'toolConfig.functionCallingConfig';
  const { mode, allowedFunctionNames, ...rest } = objectAt(functionCallingConfig, `body/${place}`);
  lost.noteAll(place, rest);
  if (mode === 'VALIDATED') lost.note(place, 'mode');
  const names = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  if (mode === 'ANY' && names.length === 1) return { tool_choice: { type: 'function', function: { name: names[0] ?? null } } };
  if (names.length > 0) lost.note(place, 'allowedFunctionNames');
  const tool_choice = MODES.get(mode);
  return tool_choice === undefined ? {} : { tool_choice };
}

/** Tools and tool choice in the Gemini API. */
export function toolsFromChat(
  { tools, tool_choice, parallel_tool_calls }: Readonly<Record<string, unknown>>,
  lost: Lost,
): JsonObject {
  const given: unknown[] = Array.isArray(tools) ? tools : [];
  const functionDeclarations = given.flatMap((tool) => declarationOf(tool, lost) ?? []);
  if (parallel_tool_calls === false) lost.note('', 'parallel_tool_calls');
  const choice = choiceIn(tool_choice);
  if (functionDeclarations.length === 0) {
    if (choice !== 'auto' && choice !== 'none') lost.note('', 'tool_choice');
    return {};
  }
  const functionCallingConfig = callingOf(choice, lost);
  return {
    tools: [{ functionDeclarations }],
    ...(functionCallingConfig !== null && { toolConfig: { functionCallingConfig } }),
  };
}

function declarationOf(tool: unknown, lost: Lost): JsonObject | null {
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) {
    lost.note('tools', isObject(tool) ? nameIn(tool.type) : 'other');
    return null;
  }
  const { type: _, function: called, ...rest } = tool;
  const { name, description, parameters, strict, ...fields } = called;
  lost.noteAll('tools', rest);
  lost.noteAll('tools.function', { ...fields, strict: strict === true ? true : null });
  return present({ name, description, parametersJsonSchema: parameters });
}

function callingOf(choice: ReturnType<typeof choiceIn>, lost: Lost): JsonObject | null {
  if (choice === null) lost.note('', 'tool_choice');
  if (choice === null || choice === 'auto') return null;
  if (choice === 'none') return { mode: 'NONE' };
  return { mode: 'ANY', ...(choice !== 'required' && { allowedFunctionNames: [choice.name] }) };
}
