import type { ChatRequest } from '@svc/sdk';
import { type Bridged, badField, Lost, type RequestBody } from '@svc/sdk/protocol';
import { NAMES } from '../bodies/names.ts';
import { settingsToChat } from './settings.ts';
import { toolsToChat } from './tools-to-chat.ts';
import { TurnsToChat } from './turns-to-chat.ts';

/**
 * A Gemini request in the chat format.
 * @throws {SvcError} SVC-REQ-001
 */
export function requestToChat({
  model,
  contents,
  systemInstruction,
  tools,
  toolConfig,
  generationConfig,
  ...rest
}: RequestBody): Bridged<ChatRequest> {
  const lost = new Lost((name) => NAMES.has(name));
  lost.noteAll('', rest);
  const turns = new TurnsToChat(lost);
  turns.takeSystem(systemInstruction);
  turns.take(contents);
  if (turns.messages.length === 0) throw badField('body/contents', 'must contain text');
  const body = {
    model,
    messages: turns.messages,
    ...toolsToChat(tools, toolConfig, lost),
    ...settingsToChat(generationConfig, lost),
  };
  return { body: body as ChatRequest, lost: lost.paths };
}
