import { isObject, type JsonObject } from '@svc/sdk';
import {
  inputText,
  itemsAt,
  type MadeCall,
  namedTool,
  nameIn,
  type OfferedTool,
  type ProtocolTools,
  type ToolName,
  vendorsTool,
  withCalls,
  withholdFrom,
} from '@svc/sdk/protocol';

/** Tools of the Gemini API. */
export const TOOLS: ProtocolTools = {
  inRequest: ({ tools, toolConfig, contents }) => {
    const parts = itemsAt(contents, 'contents').flatMap(partsAt);
    const calls = parts.flatMap(([part, path]) => callsIn(part, path).map((call) => ({ part, call })));
    return {
      offered: itemsAt(tools, 'tools').flatMap(([tool, path]) => offeredIn(tool, path)),
      chosen: chosenIn(toolConfig),
      results: withCalls(
        parts.flatMap(([{ functionResponse }, path]) =>
          isObject(functionResponse) ? [{ id: keyOf(functionResponse), path }] : [],
        ),
        calls.flatMap(({ part: { functionCall }, call }) =>
          isObject(functionCall) ? [functionCall.id, call.name].flatMap((id) => (id == null ? [] : [{ id, call }])) : [],
        ),
      ),
    };
  },
  calls: ({ candidates }: { candidates?: unknown }) =>
    itemsAt(candidates, 'candidates').flatMap(([{ content }, path]) =>
      isObject(content) ? partsAt([content, `${path}.content`]).flatMap(([part, at]) => callsIn(part, at)) : [],
    ),
  withhold: (body, withheld) => withholdFrom(body, withheld, resultWith),
};

function partsAt([{ parts }, path]: readonly [JsonObject, string]): readonly (readonly [JsonObject, string])[] {
  return itemsAt(parts, `${path}.parts`);
}

/** The tools in an entry of `tools`. An entry has a list of functions; each of its other members is a tool of the vendor. */
function offeredIn({ functionDeclarations, ...vendors }: JsonObject, path: string): OfferedTool[] {
  return [
    ...itemsAt(functionDeclarations, `${path}.functionDeclarations`).map(([{ parametersJsonSchema, ...declared }, at]) => {
      const parameters = parametersJsonSchema ?? declared.parameters ?? null;
      return namedTool('function', nameIn(declared.name), { ...declared, parameters }, at);
    }),
    ...Object.entries(vendors).map(([name, options]) => {
      const type = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return vendorsTool({ ...(isObject(options) ? options : { options }), type }, `${path}.${name}`);
    }),
  ];
}

function chosenIn(config: unknown): ToolName[] {
  const { functionCallingConfig } = isObject(config) ? config : {};
  const { allowedFunctionNames } = isObject(functionCallingConfig) ? functionCallingConfig : {};
  const names: readonly unknown[] = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  return names.map((name) => ({ kind: 'function', name: nameIn(name) }));
}

function callsIn({ functionCall, executableCode }: JsonObject, path: string): MadeCall[] {
  const calls: MadeCall[] = [];
  if (isObject(functionCall))
    calls.push({ kind: 'function', name: nameIn(functionCall.name), input: inputText(functionCall.args), path });
  if (isObject(executableCode)) calls.push({ kind: 'vendor', name: 'code_execution', input: inputText(executableCode), path });
  return calls;
}

/** A result refers to its call by id or, without an id, to the function by name. */
function keyOf({ id, name }: JsonObject): unknown {
  return id ?? nameIn(name);
}

function resultWith(part: object, text: string): object {
  const { id, name } = Object(Reflect.get(part, 'functionResponse'));
  return { functionResponse: { ...(id !== undefined && { id }), name, response: { output: text } } };
}
