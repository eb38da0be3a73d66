import type { LanguageModelV4Content, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { ChatCompletion } from '@svc/sdk';
import type { ToolCall } from '@svc/sdk/provider';
import type { Identity } from '@svc/toolkit/upstream';
import { finishReasonOf } from './finish-reason.ts';
import { identified } from './identity.ts';
import { usageOf } from './usage.ts';

function textsOf(content: readonly LanguageModelV4Content[], type: 'text' | 'reasoning'): string | null {
  const texts = content.flatMap((each) => (each.type === type ? [each.text] : []));
  return texts.length === 0 ? null : texts.join('').toWellFormed();
}

/** The calls for the caller to run. Tools that the upstream runs itself are excluded. */
function toolCallsOf(content: readonly LanguageModelV4Content[]): ToolCall[] {
  return content.flatMap((each) => {
    if (each.type !== 'tool-call' || each.providerExecuted === true) return [];
    const written = { name: each.toolName.toWellFormed(), arguments: (each.input || '{}').toWellFormed() };
    return [{ id: each.toolCallId.toWellFormed(), type: 'function', function: written }];
  });
}

/** A whole answer in OpenAI's format. Ignores content other than text, reasoning and tool calls, because the gateway never requests it. */
export function completionOf(result: LanguageModelV4GenerateResult, identity: Identity): ChatCompletion {
  const { content, finishReason, response, usage: counted } = result;
  const thought = textsOf(content, 'reasoning');
  const tool_calls = toolCallsOf(content);
  const usage = usageOf(counted);
  return {
    ...identified(response ?? {}, identity),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textsOf(content, 'text'),
          ...(thought !== null && { reasoning_content: thought }),
          ...(tool_calls.length > 0 && { tool_calls }),
        },
        logprobs: null,
        finish_reason: finishReasonOf(finishReason, tool_calls.length > 0),
      },
    ],
    ...(usage !== undefined && { usage }),
  };
}
