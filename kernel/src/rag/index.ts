export { type NewDocument, Rag, type RagFolders } from './rag.ts';
