import type { Random } from '../../guard-pii/training/random.ts';
import { TO_DROP, TO_SAY, TO_SHOW } from './invented/attacks.ts';
import { LISTS } from './invented/lists.ts';
import { ORDINARY } from './invented/ordinary.ts';

export function attack(random: Random): string {
  return varied(random, filled(random, random.of([...TO_SAY, ...TO_SHOW, ...TO_SHOW, ...TO_DROP])));
}

export function ordinary(random: Random): string {
  return varied(random, filled(random, random.of(ORDINARY)));
}

function filled(random: Random, template: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => random.of(LISTS[name] ?? ['']));
}

function varied(random: Random, text: string): string {
  const kind = random.below(10);
  if (kind === 0) return text.toUpperCase();
  if (kind === 1) return text.toLowerCase();
  if (kind === 2) return `${text}!`;
  if (kind === 3) return misspelt(random, text);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text with one wrong letter in about half of the words. */
export function misspelt(random: Random, text: string): string {
  return text.replace(/[a-zA-Z]{4,20}/g, (word) => {
    if (random.chance(0.5)) return word;
    const at = 1 + random.below(word.length - 2);
    const rest = word.slice(at + 1);
    const kinds = [
      rest,
      `${word[at]}${word[at]}${rest}`,
      `${random.of([...'abcdefghijklmnopqrstuvwxyz'])}${rest}`,
      `${rest.charAt(0)}${word[at]}${rest.slice(1)}`,
    ];
    return word.slice(0, at) + random.of(kinds);
  });
}
