import { cloud } from './cloud.ts';
import type { Detector } from './detector.ts';
import { formats, type Prefixed } from './formats.ts';
import { jwt } from './jwt.ts';
import { privateKey } from './private-key.ts';
import { prefixedServices, services } from './services.ts';

/** Secrets that are found by their form. If two that continue begin at the same place, the first one here wins. */
export const SHAPES: readonly Detector[] = [privateKey, jwt, ...cloud, ...services];

/** Secrets that begin with a text of their own. */
export const PREFIXED: readonly Prefixed[] = [...prefixedServices, ...formats];

/** The kind of high-entropy values. */
export const NAMED_VALUE = 'SECRET';

/** The names that `detectors` and `exclude` accept. */
export const ENTITIES: readonly string[] = [...new Set([...[...SHAPES, ...PREFIXED].map(({ entity }) => entity), NAMED_VALUE])];
