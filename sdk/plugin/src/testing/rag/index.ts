export { type EmbedderFixture, embedderConformance } from './embedder.ts';
export { type VectorsFixture, vectorsConformance } from './vectors.ts';
