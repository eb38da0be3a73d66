import { type FramePlace, type JsonObject, type JsonValue } from '@svc/contracts';
/** A string in a delta. `name`: where it stands in its block, such as `text`. */
export interface DeltaString {
    readonly name: string;
    readonly place: FramePlace;
}
/** The strings of a delta that may be pieces of longer ones: all but words of the protocol, and what is for its vendor alone. */
export declare function stringsIn(delta: JsonObject): readonly DeltaString[];
/** The same delta with this text in this place, and no other text. */
export declare function withText(delta: JsonValue, place: FramePlace, text: string): JsonValue;
//# sourceMappingURL=delta-strings.d.ts.map