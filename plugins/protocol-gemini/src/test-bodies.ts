import { gemini, type RecordedBodies } from '@svc/sdk/testing';

/** Bodies that Google's clients and servers send, with every kind of part. */
export const SIGNATURE = 'RXVZQkNrZ0lCaEFCR0FJ';
const PNG = 'iVBORw0K';
const CALL = { functionCall: { id: 'c1', name: 'read', args: { path: 'a', lines: 12 } }, thoughtSignature: SIGNATURE };
const RESULT = { functionResponse: { id: 'c1', name: 'read', response: { output: 'found' } } };

export const REQUEST = {
  model: 'route',
  systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: PNG } }] },
    { role: 'model', parts: [{ text: 'I look into it.', thought: true }, { text: 'I read.' }, CALL] },
    { role: 'user', parts: [RESULT, { text: 'And then?' }] },
  ],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'read',
          description: 'Reads.',
          parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
        },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
  generationConfig: {
    temperature: 0.5,
    topP: 1,
    maxOutputTokens: 100,
    stopSequences: ['END'],
    thinkingConfig: { thinkingLevel: 'HIGH' },
  },
};

const PARTS = [
  { text: 'I look into it.', thought: true },
  { text: 'Here it is, all of it.', thoughtSignature: SIGNATURE },
  CALL,
  { functionCall: { id: 'c2', name: 'read', args: {} } },
];
const ANSWER = gemini.answerOf(PARTS);
const SAID = gemini.answerOf([{ text: 'Hello to everybody.' }]);
const BLOCKED = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } };

export const BODIES: RecordedBodies = {
  requests: [
    REQUEST,
    {
      model: 'route',
      contents: [{ parts: [{ text: 'Hi.' }] }],
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'cachedContents/1',
      labels: { team: 'blue' },
    },
  ],
  answers: [ANSWER, SAID, { ...BLOCKED }],
  streams: [gemini.framesOf(ANSWER), gemini.framesOf(SAID)],
};
