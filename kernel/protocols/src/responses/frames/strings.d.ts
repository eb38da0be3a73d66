import { type FramePlace } from '@svc/contracts';
/** A string in a value, and where it stands. */
export interface PlacedString {
    readonly place: FramePlace;
    readonly text: string;
}
/** All strings of a value. */
export declare function stringsIn(value: unknown, place?: FramePlace): Generator<PlacedString>;
/** A copy that shares nothing that can be changed. Numbers that keep their digits are such values. */
export declare function copyOf<T>(value: T): T;
//# sourceMappingURL=strings.d.ts.map