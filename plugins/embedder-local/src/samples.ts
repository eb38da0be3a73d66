/** Passages of an office handbook. Each has a question that it answers; the two share some words. */
export const SAMPLES: readonly { readonly passage: string; readonly question: string }[] = [
  { passage: 'Holidays are requested two weeks before, in the calendar of the team.', question: 'How do I request a holiday?' },
  {
    passage: 'The kitchen is cleaned on Fridays; whoever is last empties the dishwasher.',
    question: 'Who empties the dishwasher?',
  },
  {
    passage: 'Expenses are paid back within ten days if the receipt is attached.',
    question: 'When is an expense with a receipt paid back?',
  },
  { passage: 'A lost badge must be reported to the front desk at once.', question: 'I lost my badge, where do I report it?' },
  { passage: 'Parking spaces in the garage are given out by lot every quarter.', question: 'how can I get a parking space' },
  { passage: 'Passwords are kept in the vault and never sent by mail.', question: 'where are passwords kept?' },
  {
    passage: 'New laptops are ordered in March; broken ones are replaced the same day.',
    question: 'my laptop is broken, is it replaced?',
  },
  { passage: 'Visitors sign in at the reception and wear a red ribbon.', question: 'What does a visitor have to wear?' },
  { passage: 'The heating is turned down at seven in the evening.', question: 'When is the heating turned down' },
  { passage: 'Meeting rooms are booked for two hours at most.', question: 'How long may I book a meeting room?' },
  { passage: 'Die Kantine öffnet um halb zwölf und schließt um zwei.', question: 'Wann öffnet die Kantine?' },
  { passage: '年次休暇は二週間前に申請してください。', question: '休暇の申請はいつですか' },
];
