/** Words of a text that talks about attacks, or about words. */
const ABOUT =
  /(?<!\p{L})(?:injections?|jailbreaks?|attackers?|attacks?|red team|meme|phrase|idiom|such as|(?:texts?|texte|messages|sentences|words) (?:like|such|wie)|security training|owasp|chorus|lyrics|glossary|definition|headline|slogan|explain why|what does)(?!\p{L})/u;
const QUOTED =
  /"[^"\n]{1,200}"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»|(?<!\p{L})'[^'\n]{1,200}'(?!\p{L})|`[^`\n]{1,200}`/gu;

/**
 * The text without its quotations where it talks about them. Who asks what a sentence means does not give it as an order; nothing keeps an
 * attacker from dressing as one who asks.
 */
export function withoutDiscussed(folded: string): string {
  const rest = folded.replace(QUOTED, ' … ');
  return rest !== folded && ABOUT.test(rest) ? rest : folded;
}
