export { answer, errorEvent, eventFrame, events, failure } from './behaviours.ts';
export { type AnthropicEvent, eventsOf } from './events.ts';
export { type AnthropicBlock, type AnthropicMessage, messageOf } from './message.ts';
