import { type Recogniser, words } from '../recogniser.ts';

/** Indian tax number (PAN): a fixed form without a public checksum. The fourth letter is the kind of holder. */
export const inPan: Recogniser = {
  entity_type: 'IN_PAN',
  anchor: 'token',
  digits: [4],
  context: { for: words('pan permanent_account') },
  at(text, { start, end }) {
    const isPan = end - start === 10 && /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/i.test(text.slice(start, end));
    return isPan ? { start, end, score: 0.5 } : null;
  },
};
