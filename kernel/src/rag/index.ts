export { type NewDocument, Rag, type RagFolders, type RagParts } from './rag.ts';
