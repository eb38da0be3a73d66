import { cloud } from './cloud.ts';
import type { Detector } from './detector.ts';
import { jwt } from './jwt.ts';
import { privateKey } from './private-key.ts';
import { services } from './services.ts';

/** By shape alone. Where two that go on begin at the same place the first wins. */
export const SHAPES: readonly Detector[] = [privateKey, jwt, ...cloud, ...services];

/** What the detector of high-entropy values calls them. */
export const NAMED_VALUE = 'SECRET';

/** Every name that `detectors` and `exclude` take. */
export const ENTITIES: readonly string[] = [...new Set([...SHAPES.map(({ entity }) => entity), NAMED_VALUE])];
