export { type ErasedNamespace, Rag, type RagFolders } from './rag.ts';
