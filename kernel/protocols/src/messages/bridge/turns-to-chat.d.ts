import type { ChatMessage } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
/** The turns of a request as messages of the chat format. */
export declare class TurnsToChat {
    #private;
    readonly messages: ChatMessage[];
    constructor(lost: Lost);
    /** @throws {SvcError} SVC-REQ-001 */
    takeSystem(system: unknown, path?: string, parent?: string): void;
    /** @throws {SvcError} SVC-REQ-001 */
    take(messages: unknown): void;
}
//# sourceMappingURL=turns-to-chat.d.ts.map