/** Words of a text that discusses attacks or phrases. */
const ABOUT =
  /(?<!\p{L})(?:injections?|jailbreaks?|attackers?|attacks?|red team|meme|phrase|idiom|such as|(?:texts?|texte|messages|sentences|words) (?:like|such|wie)|security training|owasp|chorus|lyrics|glossary|definition|headline|slogan|explain why|what does)(?!\p{L})/u;
const QUOTED =
  /"[^"\n]{1,200}"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»|(?<!\p{L})'[^'\n]{1,200}'(?!\p{L})|`[^`\n]{1,200}`/gu;

/** In a text that discusses quotations, removes them: asking what a sentence means is not an order. An attacker can imitate this. */
export function withoutDiscussed(folded: string): string {
  const rest = folded.replace(QUOTED, ' … ');
  return rest !== folded && ABOUT.test(rest) ? rest : folded;
}

/**
 * Questions about the world: they begin with a question word, end with a question mark and address nobody. "How do I ignore the
 * rules above in CSS?" is no order; "why don't you ignore them?" may be one.
 */
const QUESTION =
  /(?<=^|[.!?:\n]\s{0,3})(?:how|why(?! not)|should|may|must|do|does|did|is|are|was|were|what|which|who|when|where|has|have|can i|can we|can a|could i|wie|warum|darf|muss|soll|kann ich|ist|sind|was|welche|ersetzt|comment|pourquoi|faut-il|puis-je|est-ce|quel|como|por que|puedo|debo|es|que|cual|come|perche|posso|devo|che|qual|hoe|waarom|moet|mag|kan ik|is het|wat|welke|jak|dlaczego|czy|co|как|почему|можно)(?!\p{L})[^.!?\n]{0,300}\?/gu;
const TO_SOMEBODY =
  /(?<!\p{L})(?:you|your|u|yourself|system (?:prompt|message)|verbatim|before this|above this|du|dein\w{0,3}|dir|dich|tu|ton|tes|toi|vous|votre|tus?|te|ti|tuo|tua|tue|voce|seus?|suas?|je|jouw|jij|ty|twoj\w{0,2}|swoj\w{0,2}|тебе|твои)(?!\p{L})/u;

/** The text without such questions. */
export function withoutQuestions(folded: string): string {
  return folded.replace(QUESTION, (question) => (TO_SOMEBODY.test(question) ? question : ' … '));
}

/** Matches a reported instruction to another person ("she told the clerk to …"). It is not addressed to the model. */
const REPORTED =
  /(?<!\p{L})(?:tells?|told|instructs?|instructed|asks?|asked|orders?|ordered) (?:his|her|their|the|a|my|our|every) (?!model|ai|assistant|llm|chatbot|bot|language)\p{L}{1,20} (?:not )?to \p{L}[^.!?\n]{0,200}/gu;

export function withoutReports(folded: string): string {
  return folded.replace(REPORTED, ' … ');
}
