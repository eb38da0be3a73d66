import { type RequestBody, type RequestFacts } from '@svc/contracts';
export declare function turnsOf({ messages }: RequestBody): unknown[];
export declare function rolesOf(body: RequestBody): readonly string[];
/** Results of tools must be the first in the turn behind their calls: a text goes behind them. */
export declare function addText(body: RequestBody, at: number, text: string): void;
export declare function factsOf({ max_tokens, output_config, output_format }: RequestBody): RequestFacts;
/** What a model reads. Thinking counts for nothing once it was answered. */
export declare function readIn(body: RequestBody): unknown;
//# sourceMappingURL=request.d.ts.map