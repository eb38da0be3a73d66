import {
  bytesOf,
  type OpaqueKind,
  type Place,
  sealedValue,
  storedAs,
  unknownOrigin,
  type Vocabulary,
  words,
} from '@svc/sdk/protocol';

/** Where parts are: in turns, instructions, answers and tool results. */
const PART = /^(?:contents\.\*|systemInstruction|candidates\.\*\.content)\.parts\.\*\.(?:functionResponse\.parts\.\*\.)?/;

const bytes: OpaqueKind = (value, beside) => {
  const written: unknown = Reflect.get(beside, 'mimeType');
  const type = typeof written === 'string' ? written : '';
  return bytesOf(type.startsWith('image/') ? 'image' : type.startsWith('audio/') ? 'audio' : 'file')(value, beside);
};

const TYPES = words(
  `image/png image/jpeg image/webp image/gif image/heic image/heif audio/wav audio/mp3 audio/mpeg audio/aiff audio/aac audio/ogg audio/flac
  video/mp4 video/mpeg video/webm application/pdf application/json text/plain`,
);
const ROLES = words('user model function system');
const CATEGORIES = words(
  `HARM_CATEGORY_UNSPECIFIED HARM_CATEGORY_HARASSMENT HARM_CATEGORY_HATE_SPEECH HARM_CATEGORY_SEXUALLY_EXPLICIT
  HARM_CATEGORY_DANGEROUS_CONTENT HARM_CATEGORY_CIVIC_INTEGRITY`,
);
const MODALITIES = words('MODALITY_UNSPECIFIED TEXT IMAGE AUDIO VIDEO DOCUMENT');
const PART_WORDS: Readonly<Record<string, Vocabulary>> = {
  'inlineData.mimeType': TYPES,
  'fileData.mimeType': TYPES,
  'executableCode.language': words('LANGUAGE_UNSPECIFIED PYTHON'),
  'codeExecutionResult.outcome': words('OUTCOME_UNSPECIFIED OUTCOME_OK OUTCOME_FAILED OUTCOME_DEADLINE_EXCEEDED'),
  'functionResponse.scheduling': words('SCHEDULING_UNSPECIFIED SILENT WHEN_IDLE INTERRUPT'),
};
export const FINISH_REASONS = words(
  `FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL
  IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE`,
);
const WORDS: Readonly<Record<string, Vocabulary>> = {
  'contents.*.role': ROLES,
  'systemInstruction.role': ROLES,
  'candidates.*.content.role': ROLES,
  'generationConfig.responseMimeType': words('text/plain application/json text/x.enum'),
  'generationConfig.responseModalities.*': MODALITIES,
  'generationConfig.thinkingConfig.thinkingLevel': words('MINIMAL LOW MEDIUM HIGH minimal low medium high'),
  'generationConfig.mediaResolution': words('MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM MEDIA_RESOLUTION_HIGH'),
  'toolConfig.functionCallingConfig.mode': words('MODE_UNSPECIFIED AUTO ANY NONE VALIDATED'),
  'tools.*.functionDeclarations.*.behavior': words('UNSPECIFIED BLOCKING NON_BLOCKING'),
  'safetySettings.*.category': CATEGORIES,
  'safetySettings.*.threshold': words('BLOCK_NONE BLOCK_ONLY_HIGH BLOCK_MEDIUM_AND_ABOVE BLOCK_LOW_AND_ABOVE OFF'),
  'candidates.*.finishReason': FINISH_REASONS,
  'candidates.*.safetyRatings.*.category': CATEGORIES,
  'candidates.*.safetyRatings.*.probability': words('NEGLIGIBLE LOW MEDIUM HIGH'),
  'promptFeedback.blockReason': words('SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY'),
  'promptFeedback.safetyRatings.*.category': CATEGORIES,
  'promptFeedback.safetyRatings.*.probability': words('NEGLIGIBLE LOW MEDIUM HIGH'),
};
const MODALITY = /^usageMetadata\.\w+\.\*\.modality$/;
const SCHEMA =
  /^(?:tools\.\*\.functionDeclarations\.\*\.(?:parameters|response|parametersJsonSchema|responseJsonSchema)|generationConfig\.(?:responseSchema|responseJsonSchema))\.(?:.*\.)?type$/;
const SCHEMA_TYPES = words(
  'STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL string number integer boolean array object null TYPE_UNSPECIFIED',
);

const QUANTITY =
  /^(?:usageMetadata\.(?:.*\.)?\w+Count|candidates\.\*\.index|candidates\.\*\.avgLogprobs|generationConfig\.(?:temperature|topP|topK|maxOutputTokens|candidateCount|seed|presencePenalty|frequencyPenalty|logprobs|thinkingConfig\.thinkingBudget))$/;
const NAME = /^tools\.\*\.functionDeclarations\.\*\.name$|^toolConfig\.functionCallingConfig\.allowedFunctionNames\.\*$/;
const OWN = { request: words('model'), answer: words('responseId modelVersion svc_left_out.*') } as const;

const isThought: NonNullable<Place['isThinking']> = (part) => Reflect.get(part, 'thought') === true;

/** The meaning of a place in a body. */
export function placeOf(of: 'request' | 'answer', pattern: string): Partial<Place> {
  const start = PART.exec(pattern)?.[0];
  if (start !== undefined) return inPart(pattern.slice(start.length), pattern);
  return {
    isOwn: OWN[of].has(pattern),
    isName: NAME.test(pattern),
    isQuantity: QUANTITY.test(pattern),
    ...vocabularyOf(pattern),
    role: pattern.startsWith('systemInstruction') ? 'system' : null,
    origin: unknownOrigin(pattern, TURN) ?? (FOUND.test(pattern) ? 'document' : null),
  };
}

const TURN = /^(?:contents|candidates)\.\*(?:\.|$)/;
/** What a search found, and citations. */
const FOUND = /^candidates\.\*\.(?:groundingMetadata|citationMetadata|urlContextMetadata)(?:\.|$)/;

function vocabularyOf(pattern: string): Partial<Place> {
  const listed = WORDS[pattern] ?? (MODALITY.test(pattern) ? MODALITIES : SCHEMA.test(pattern) ? SCHEMA_TYPES : undefined);
  return listed === undefined ? {} : { vocabulary: listed };
}

function inPart(place: string, pattern: string): Partial<Place> {
  const isResult = pattern.includes('.functionResponse');
  const role = isResult ? 'tool' : pattern.startsWith('systemInstruction') ? 'system' : null;
  if (/^functionCall\.args(?:\.|$)/.test(place)) return { isToolInput: true, role, origin: null };
  const isSealed = place === 'thoughtSignature';
  const opaqueKind = isSealed
    ? sealedValue
    : place === 'inlineData.data'
      ? bytes
      : place === 'fileData.fileUri'
        ? storedAs('file')
        : null;
  const vocabulary = PART_WORDS[place];
  return {
    isName: /^(?:functionCall|functionResponse)\.name$/.test(place),
    idKind: /^(?:functionCall|functionResponse)\.id$/.test(place) ? 'call' : null,
    json: /^functionResponse\.response\./.test(place) ? 'anyone' : null,
    opaqueKind,
    isSealed,
    isThinking: place === 'text' ? isThought : null,
    ...(vocabulary === undefined ? {} : { vocabulary }),
    role,
    origin: originOf(place),
  };
}

function originOf(place: string): Place['origin'] {
  if (/^codeExecutionResult(?:\.|$)/.test(place)) return 'tool';
  if (/^(?:inlineData|fileData)(?:\.|$)/.test(place)) return 'document';
  // The result of a tool has its own keys.
  return /^functionResponse\.response(?:\.|$)/.test(place) ? null : unknownOrigin(place, /^/);
}
