import { type JsonObject, type JsonValue } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
/** Content blocks of the Messages API as content parts of the chat format. What has no place there is noted. */
export declare class PartsToChat {
    #private;
    constructor(lost: Lost);
    /** @throws {SvcError} SVC-REQ-001 */
    ofContent(content: unknown, path: string, parent: string): JsonObject[];
    /** @throws {SvcError} SVC-REQ-001 */
    ofBlock({ cache_control, ...block }: JsonObject, path: string, parent: string): JsonObject[];
}
/** The blocks of a content: a text is one. @throws {SvcError} SVC-REQ-001 */
export declare function blocksAt(content: unknown, path: string): JsonObject[];
/** A text that stands alone is given as such: not every server takes parts everywhere. */
export declare function plainest(parts: JsonObject[]): string | JsonValue[];
//# sourceMappingURL=parts-to-chat.d.ts.map