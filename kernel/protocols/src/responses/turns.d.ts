import { type AnswerBody, type RequestBody } from '@svc/contracts';
/** The items of a request. A text alone is one. */
export declare function turnsOf({ input }: RequestBody): unknown[];
export declare function withTurns(body: RequestBody, turns: readonly unknown[]): RequestBody;
export declare function addText(body: RequestBody, at: number, text: string): void;
/** Who speaks in each item; of what is not known, a user. */
export declare function rolesOf({ input }: RequestBody): readonly string[];
/** The items of an answer are items of the next request as they are. */
export declare function turnsOfAnswer({ output }: AnswerBody): readonly unknown[];
//# sourceMappingURL=turns.d.ts.map