export { type EmbedderConformanceOptions, type EmbedderFixture, embedderConformance } from './embedder.ts';
export { type VectorsConformanceOptions, type VectorsFixture, vectorsConformance } from './vectors.ts';
