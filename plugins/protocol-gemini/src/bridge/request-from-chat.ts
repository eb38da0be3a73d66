import type { ChatRequest } from '@svc/sdk';
import { type Bridged, isKnownName, Lost, type RequestBody } from '@svc/sdk/protocol';
import { settingsFromChat } from './settings.ts';
import { toolsFromChat } from './tools-to-chat.ts';
import { turnsFromChat } from './turns-from-chat.ts';

/**
 * A chat request as a Gemini request. Null values count as absent.
 * @throws {ProviderError} `unsupported`
 */
export function requestFromChat(request: ChatRequest): Bridged<RequestBody> {
  const lost = new Lost(isKnownName);
  const { system, contents } = turnsFromChat(request.messages, lost);
  const settings = settingsFromChat(request, lost);
  const body: RequestBody = {
    model: request.model,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents,
    ...toolsFromChat(request, lost),
    ...(Object.keys(settings).length > 0 && { generationConfig: settings }),
  };
  return { body, lost: lost.paths };
}
