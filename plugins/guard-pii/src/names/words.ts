import { lowered } from './characters.ts';
import { FIRST_HASH, HASH_FACTOR } from './hash.ts';

/** The hash of a word, as tokens have it. */
export function hashOf(word: string): number {
  let hash = FIRST_HASH;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ lowered(word.charCodeAt(at)), HASH_FACTOR);
  return hash;
}

const setOf = (words: string): ReadonlySet<number> => new Set(words.split(' ').map(hashOf));

/** Words before a name that are not part of it. */
export const TITLES = setOf(
  'mr mrs ms miss mx dr prof professor sir madam mister señor señora señorita herr frau monsieur madame mme mlle signor signora dott rev reverend capt captain sgt sergeant',
);
/** Words between two words of a name. */
export const PARTICLES = setOf(
  'de da do dos das di del della dei du des la le las los van von vom der den dem het ter ten te zu zum zur bin ibn ben bint al el af av y',
);
/** Words before a surname without a first name, which are part of the name. */
export const LEADING_PARTICLES = setOf('van von vom der den ter ten della');
/** Words after a name that are part of it. */
export const SUFFIXES = setOf('jr sr ii iii iv phd md esq');
/** Words that a name may follow directly, even in lower case. */
export const GREETINGS = setOf('dear hi hello hey named called surname');
/** Words that a name may follow after "is" or a colon. */
export const NAME_WORDS = setOf('name surname names');
/** Words that are never names in lower case, whatever precedes them. */
export const NEVER_IN_LOWER_CASE = setOf(
  "a an and are as at be been but by can did do does everyone for from had has have he her here hers him his how i i'm if im in is it it's its just like my no not of on one or our out she so some than that the their them then there they this those to too unknown up us very was we were what when where which while who why will with would yes you your",
);
/** Contractions of verbs, which are never names, in lower or upper case. */
export const CONTRACTIONS = setOf(
  "ain't aren't can't couldn't daren't didn't doesn't don't hadn't hasn't haven't isn't mayn't mightn't mustn't needn't oughtn't shan't shouldn't wasn't weren't won't wouldn't he'd he'll i'd i'll i'm i've it'd it'll let's she'd she'll that'd that'll there'd there'll they'd they'll they're they've we'd we'll we're we've what'll what're who'd who'll who're who've would've could've should've might've must've y'all you'd you'll you're you've",
);
