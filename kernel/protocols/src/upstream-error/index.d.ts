export { endedEarly, kindOfStatus, malformed, unsupported } from './failures.ts';
export { type RefusalDetails, refusalDetails } from './refusal-meaning.ts';
export { reportedError } from './reported-error.ts';
//# sourceMappingURL=index.d.ts.map