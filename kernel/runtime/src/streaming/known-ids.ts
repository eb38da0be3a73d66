import type { AnswerFrame, FramePlace } from '@svc/contracts';
import type { FieldPattern } from '../texts/field-pattern.ts';
import { putAt, textAt } from './frame-place.ts';

/** Maximum number of known ids. An answer usually has few. Guards see further ids in every frame. */
const MAX_IDS = 10_000;
const MAX_LENGTH = 256;

/** The ids of a streamed answer. Guards see each id once, and later frames use the result. */
export class KnownIds {
  readonly #left = new Map<string, string>();
  /** Places where ids have occurred, by path. */
  readonly #places = new Map<string, FramePlace>();
  readonly #root: FieldPattern;

  /** @param root the root pattern of a frame */
  constructor(root: FieldPattern) {
    this.#root = root;
  }

  /** Takes the known ids out of a frame. @param places absent: all places where ids have occurred */
  takeOut(frame: AnswerFrame, places?: readonly FramePlace[]): { putBack(): void } {
    for (const place of places ?? []) this.#places.set(place.join('.'), place);
    const ids = [...(places ?? this.#places.values())].flatMap((place) => {
      const came = textAt(frame, place);
      // Guards do not see such a text here. If it were known, they would not see it in another place either.
      const isUnseen = came === null || !this.#patternAt(place).mayHoldText(came, false);
      return isUnseen ? [] : [{ place, came, known: this.#left.get(came) }];
    });
    for (const { place, known } of ids) if (known !== undefined) putAt(frame, place, null);
    return {
      putBack: () => {
        for (const { place, came, known } of ids) {
          if (known !== undefined) putAt(frame, place, known);
          else this.#keep(came, textAt(frame, place));
        }
      },
    };
  }

  #patternAt(place: FramePlace): FieldPattern {
    return place.reduce((at: FieldPattern, step) => (typeof step === 'number' ? at.items : at.member(step)), this.#root);
  }

  #keep(came: string, left: string | null): void {
    if (left !== null && came.length <= MAX_LENGTH && this.#left.size < MAX_IDS) this.#left.set(came, left);
  }
}
