import { defineVectors } from '@svc/sdk/vectors';
import { Type } from 'typebox';
import { LocalVectors } from './local-vectors.ts';

/** Vectors: documents in files beside the runs-db, vectors in memory, searched linearly. See README.md. */
export default defineVectors({
  type: 'local',
  options: Type.Object({}, { additionalProperties: false }),
  create: (_options, { logger }) => new LocalVectors(logger),
});
