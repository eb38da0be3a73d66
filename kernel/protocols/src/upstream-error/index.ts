export { endedEarly, kindOfStatus, malformed, unsupported } from './failures.ts';
export { kindOfRefusal, type RefusalDetails, refusalDetails, refusalIn } from './refusal-meaning.ts';
export { reportedError } from './reported-error.ts';
