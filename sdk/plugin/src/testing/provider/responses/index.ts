export { answer, eventFrame, events } from './behaviours.ts';
export { eventsOf, type ResponseEvent } from './events.ts';
export { messageItem, type ResponseItem, responseOf, type UpstreamResponse } from './response.ts';
