export { Rag, type RagFolders } from './rag.ts';
