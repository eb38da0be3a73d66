/**
 * Texts for tests: what each entity looks like, what only seems to, and both beside each other. Numbers are made up or published as
 * examples; those with a check digit pass it.
 */
export const SAMPLES: Readonly<Record<string, { readonly found: readonly string[]; readonly passed: readonly string[] }>> = {
  EMAIL_ADDRESS: {
    found: [
      'write to [ann.lee+news@example.co.uk].',
      "mailto:[o'neil@mail.example.org], thanks",
      '<[a_b@sub.domain.museum]>',
      'josé: [josé@exämple.de]!',
    ],
    passed: ['a@b', 'user@localhost', 'me@example.notatld', 'foo@', '@bar.com', 'a.@example.com', 'x @ example.com', '@@..@'],
  },
  CREDIT_CARD: {
    found: [
      'pay with [4111 1111 1111 1111] now',
      'amex [3782-822463-10005]',
      '[5555555555554444]',
      'my card [630495060000000000] is lost',
      '[6011 1111 1111 1117], exp 12/29',
      '卡号[4111111111111111]号',
      '[4111\u00a01111\u00a01111\u00a01111]',
      '[\uff14\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11]',
    ],
    passed: [
      '4111 1111 1111 1112',
      '1234567890123456',
      '0000000000000000',
      'id 41111111111111110000000',
      '4111-1111-1111-1111-1',
      '4111 1111.1111 1111',
    ],
  },
  IBAN_CODE: {
    found: [
      'IBAN [GB82 WEST 1234 5698 7654 32] and more',
      '[gb82west12345698765432].',
      'an [DE89 3704 0044 0532 0130 00]!',
      '[NO93 8601 1117 947] is short',
      '[FR14-2004-1010-0505-0001-3M02-606]',
    ],
    passed: [
      'GB82 WEST 1234 5698 7654 33',
      'GB82WEST123456987654321',
      'XX82 WEST 1234 5698 7654 32',
      'DE89 3704 0044',
      'ab12 is a room',
    ],
  },
  PHONE_NUMBER: {
    found: [
      'call [212-555-0123] today',
      '[+44 20 7946 0958]',
      '[(212) 555-0123]',
      '[+1 (415) 555-2671], please',
      'Phone: [467 3395]',
      'mobile [0490 75 40 81]\n',
      'tel. [01.84.17.61.18]',
      'ring me on [555-123-4567x89]',
      'fax [0049 30 901820]',
      'text 4 friends at [9472 7916]',
    ],
    passed: [
      'on 2024-05-06 12:30:00 we met',
      'phone 12/05/2024',
      '467 3395',
      'order 212-555-0123-4',
      'invoice 212-555-0123',
      '1.234.567.890',
      'call 192.168.10.20',
      '+1',
      'call 000 000 0000',
    ],
  },
  US_SSN: {
    found: ['SSN: [460-89-9847]', 'his social security number is [460899847]', '[536 90 4399]', '[460\u201389\u20139847]'],
    passed: [
      '000-12-3456',
      '666-12-3456',
      '912-34-5678',
      '123-00-4567',
      '123-45-0000',
      '460899847',
      'order 460-89-9847',
      '460-89-98471',
      '460-89-9847-1',
      'public 460899847',
    ],
  },
  US_ITIN: {
    found: ['my ITIN is [912-70-1234]', 'tax id [912701234]'],
    passed: ['912-70-1234', 'ITIN 912-45-1234', 'ITIN 812-70-1234'],
  },
  US_PASSPORT: {
    found: ['passport [912803456]', 'passport no. [A12345678]'],
    passed: ['912803456', 'passport AB1234567', 'A12345678'],
  },
  US_BANK_NUMBER: {
    found: ['account [945456787654]', 'bank acct: [12345678]'],
    passed: ['945456787654', 'account 1234567', 'account of 20240506', 'accountant 12345678'],
  },
  IP_ADDRESS: {
    found: [
      'ping [192.168.0.1].',
      '[2001:db8::8a2e:370:7334]',
      'at [fe80::1%eth0], up',
      '[::1]',
      'from [10.0.0.1]:8080',
      '[::ffff:192.0.2.128]',
    ],
    passed: ['version 1.2.3.4', '256.1.1.1', '1.2.3.4.5', '12:30:45', 'std::vector', 'abc::def', '1::2::3', 'a:b:c', '1.2.3'],
  },
  CRYPTO: {
    found: [
      'send to [16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ] now',
      '[bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq]',
      '[bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr]',
      '[0x52908400098527886E0F7030069857D2E4169EE7]',
    ],
    passed: [
      '16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyY',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr',
      '0x52908400098527886E0F7030069857D2E4169EE',
    ],
  },
  MEDICAL_LICENSE: { found: ['DEA [AP5836727]', '[F91234563]'], passed: ['AP5836728', 'NP5836727', 'AP58367271'] },
  DATE_TIME: {
    found: [
      'born on [2/8/1935].',
      '[2000-04-16 11:34:35]',
      'on [Tuesday] morning',
      'since [1977] we',
      'due [12 March 2024], or',
      '[March 5th, 2021]',
      '[5:30 pm] sharp',
      '[Friday, May 3] it is',
      '[three weeks ago] today',
      'see you [tomorrow]!',
    ],
    passed: ['1977', 'room 2000', '13/13/2020', '25:99', 'maybe', 'mayor', 'v1.2.3-4'],
  },
  URL: {
    found: ['see [https://example.org/a?b=c#d], or', '[www.example.com].', '([http://example.net])', 'at [example.com/x] now'],
    passed: ['e.g. this', 'end.Next', 'file.txt2', '1.2.3'],
  },
  NRP: {
    found: ['some [Slovenian] food', 'the [cambodian], a [Buddhist], voted [Democrats]'],
    passed: ['Polishing', 'thaw', 'labours'],
  },
  US_DRIVER_LICENSE: {
    found: ["my driver's license number is [2270-66-1551]", 'license [F162823540116]', 'driving licence: [5130634]'],
    passed: ['5130634', 'public 5130634', 'F162823540116'],
  },
  CA_SIN: {
    found: ['SIN [046 454 286]', '[046-454-286]', '[130692544]'],
    passed: ['046 454 287', '130692545', '046-454 286', '000000000'],
  },
  UK_NINO: {
    found: ['NI [AB 12 34 56 C]', '[ab123456c].', '[JY 12 34 56 A]'],
    passed: ['BG123456A', 'AB123456E', 'QQ123456A', 'AB1234567C'],
  },
  UK_NHS: { found: ['NHS [943 476 5919]', '[401-023-2137]', '[9434765919]'], passed: ['943 476 5918', '401-023-2138'] },
  ES_NIF: { found: ['DNI [12345678Z]', 'NIE [X1234567L]', '[x1234567-l]'], passed: ['12345678A', 'X1234567A', '123456789Z'] },
  IT_FISCAL_CODE: { found: ['CF [RSSMRA85T10A562S]', '[rssmra85t10a562s]'], passed: ['RSSMRA85T10A562T', 'RSSMRA85T10A562SX'] },
  PL_PESEL: { found: ['PESEL [44051401359]'], passed: ['44051401358', '44991401359'] },
  FI_PERSONAL_IDENTITY_CODE: {
    found: ['hetu [131052-308T]', '[010195A9033]'],
    passed: ['131052-308U', '131352-308T'],
  },
  DE_TAX_ID: { found: ['Steuer-ID [86095742719]', '[86 095 742 719]'], passed: ['86095742718', '11111111111'] },
  AU_TFN: { found: ['TFN [876 543 210]', '[876543210]'], passed: ['876543211'] },
  AU_ABN: { found: ['ABN [51 824 753 556]', '[51824753556]'], passed: ['51 824 753 557'] },
  AU_ACN: { found: ['ACN [000 000 019]', '[005 749 986]'], passed: ['005 749 987'] },
  AU_MEDICARE: { found: ['Medicare [2123 45670 1]', '[2123456701]'], passed: ['2123 45671 1', '7123 45670 1'] },
  IN_PAN: { found: ['PAN [ABCPE1234F]', '[abcpe1234f]'], passed: ['ABCDE1234F', 'ABCPE12345'] },
  IN_AADHAAR: { found: ['[2341 2341 2346]', 'aadhaar [234123412346]'], passed: ['2341 2341 2347', '1341 2341 2346'] },
  SG_NRIC_FIN: { found: ['NRIC [S1234567D]', 'FIN [G1234567X]', '[F1234567N]'], passed: ['S1234567E', 'A1234567D'] },
};
