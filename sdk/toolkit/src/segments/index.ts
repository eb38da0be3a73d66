/** For guards that distinguish messages, tool calls, tool results, definitions and answers, in any protocol. */
export { loneText } from './lone-text.ts';
export {
  definitionsFirst,
  isAnswered,
  isCall,
  isDefinition,
  isInstruction,
  isParticipant,
  isSaid,
  isToolRole,
  resultOf,
  turnOf,
} from './segment-kinds.ts';
export { SOURCES, type Source, sourceOf } from './text-source.ts';
