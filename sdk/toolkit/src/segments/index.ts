/** For guards to which it matters what a text is: what is said, called, given by tools, defined or answered, in any protocol. */
export {
  isAnswered,
  isCall,
  isDefinition,
  isInstruction,
  isInTurns,
  isParticipant,
  isSaid,
  isToolRole,
  resultOf,
  turnOf,
} from './standing.ts';
