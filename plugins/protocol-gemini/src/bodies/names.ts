import { words } from '@svc/sdk/protocol';

/** Field and type names of the Gemini API that may appear in paths and events. */
export const NAMES = words(
  `model contents role parts text thought thoughtSignature inlineData fileData mimeType data fileUri displayName functionCall functionResponse
  id name args response willContinue scheduling executableCode language code codeExecutionResult outcome output videoMetadata startOffset
  endOffset fps mediaResolution level partMetadata toolCall toolResponse toolType systemInstruction tools functionDeclarations description
  parameters parametersJsonSchema responseJsonSchema behavior googleSearch googleSearchRetrieval codeExecution urlContext fileSearch computerUse
  googleMaps mcpServers google_search google_search_retrieval code_execution url_context file_search computer_use google_maps mcp_servers
  toolConfig functionCallingConfig retrievalConfig mode allowedFunctionNames streamFunctionCallArguments includeServerSideToolInvocations
  safetySettings category threshold method generationConfig stopSequences responseMimeType responseSchema responseModalities candidateCount
  maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs enableEnhancedCivicAnswers speechConfig
  voiceConfig thinkingConfig includeThoughts thinkingBudget thinkingLevel imageConfig aspectRatio imageSize cachedContent labels serviceTier
  candidates content finishReason finishMessage index safetyRatings probability blocked citationMetadata citationSources citations startIndex
  endIndex uri title license groundingMetadata groundingAttributions urlContextMetadata avgLogprobs logprobsResult tokenCount promptFeedback
  blockReason blockReasonMessage usageMetadata promptTokenCount candidatesTokenCount totalTokenCount thoughtsTokenCount
  cachedContentTokenCount toolUsePromptTokenCount promptTokensDetails cacheTokensDetails candidatesTokensDetails toolUsePromptTokensDetails
  modality modelVersion responseId createTime modelStatus error status svc_left_out
  type format nullable enum items minItems maxItems properties required minProperties maxProperties minLength maxLength pattern example anyOf
  propertyOrdering default minimum maximum additionalProperties oneOf allOf const $ref $defs taskType outputDimensionality requests`,
);
