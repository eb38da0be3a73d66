import { type Cue, cue, words } from './cue.ts';

interface Language {
  /** Commands to ignore something. */
  readonly drop: string;
  /** What to ignore: instructions, rules. */
  readonly orders: string;
  /** "Earlier", "above", or "your": says which instructions are meant. It may come before or after `orders`. */
  readonly earlier: string;
  readonly show: string;
  readonly prompt: string;
  /** Further phrases with their scores. */
  readonly more: readonly (readonly [
    signal: 'override' | 'persona' | 'exfiltration' | 'indirect',
    score: number,
    pattern: string,
  ])[];
}

/** Folded: without accents, `ß` as `ss`, `ł` as `l`. */
const LANGUAGES: readonly Language[] = [
  {
    drop: '(?:ignorier(?:e|t|en sie)?|missachte[nt]?|vergiss|vergesst|vergessen sie|ubergehe|setze? dich|halte dich nicht|befolge nicht|verwirf|umgehe|beachte nicht)',
    orders: '(?:anweisung(?:en)?|regeln?|vorgaben|richtlinien|instruktionen|befehle|einschrankungen|systemprompt|filter)',
    earlier: '(?:vorherigen?|bisherigen?|obigen?|fruheren?|vorigen|alten|alle[nr]?|deinen?|eure|oben|systems?|entwicklers)',
    show: '(?:gib|zeige?|nenne|wiederhole|drucke|verrate|schreibe?|ubersetze|kopiere)',
    prompt:
      '(?:system-?prompt|systemnachricht|dein(?:en|e)? (?:prompt|anweisungen|instruktionen)|(?:anweisungen|instruktionen),? die du|anfangsprompt)',
    more: [
      ['override', 0.7, `(?:ignoriere?|vergiss|missachte),? (?:alles|was)${words(5)}(?:gesagt|geschrieben|oben|bisher|vorher)`],
      [
        'override',
        0.55,
        `(?:anweisungen|vorgaben|regeln|richtlinien)${words(4)}(?:gelten nicht mehr|aufgehoben|ungultig|entfallen)`,
      ],
      ['override', 0.5, `(?:deine|neue) neue (?:aufgabe|rolle)|deine (?:wahre|eigentliche|einzige) aufgabe`],
      ['override', 0.5, `(?:gehorchst|befolgst|horst)${words(3)}(?:nur(?: noch)?)${words(1)}(?:mir|meine|auf mich)`],
      ['persona', 0.55, `du${words(6)}(?:keine(?:rlei)?|ohne)${words(2)}(?:regeln|filter|einschrankungen|grenzen|moral|zensur)`],
      ['persona', 0.45, `(?:antworte|sprich)${words(5)}ohne${words(2)}(?:einschrankungen|filter|regeln|zensur)`],
      ['indirect', 0.6, `(?:ki-?(?:assistent(?:en)?|modelle?|systeme?)?|sprachmodelle?n?)${words(1)}:`],
      ['indirect', 0.5, `(?:erwahne|sag|verrate)${words(4)}nicht${words(3)}(?:nutzer|benutzer)`],
    ],
  },
  {
    drop: '(?:ignore[rz]?|oublie[rz]?|neglige[rz]?|contourne[rz]?|passe outre|fai[st] abstraction|ne (?:tiens|tenez) pas compte|ne (?:respecte|suis|suivez) (?:pas|plus)|abandonne)',
    orders: '(?:instructions?|consignes?|regles?|directives?|ordres|restrictions|limites|filtres)',
    earlier: '(?:precedente?s?|anterieure?s?|ci-dessus|au-dessus|toutes?|tous|tes|vos|donnees?|avant|de securite|du systeme)',
    show: '(?:affiche[rz]?|montre[rz]?|repete[rz]?|revele[rz]?|donne[rz]?|ecri[st]|imprime[rz]?|traduis|copie)',
    prompt: '(?:ton prompt|prompt (?:systeme|initial)|message systeme|instructions (?:cachees|initiales|systeme))',
    more: [
      ['override', 0.55, `(?:consignes|instructions|regles)${words(5)}(?:plus valables|ne s'appliquent plus|annulees)`],
      ['override', 0.5, `(?:obeis|obeissez)${words(3)}(?:qu'a moi|a moi)`],
      [
        'persona',
        0.55,
        `tu (?:n'as|es|as)${words(6)}(?:aucune|plus de|sans|plus aucune)${words(1)}(?:restrictions?|regles?|filtres?|limites?|morale|censure)`,
      ],
      ['persona', 0.45, `ne refuses? jamais`],
      ['exfiltration', 0.6, `repete[rz]?${words(4)}(?:ci-dessus|au-dessus|precede)`],
      ['indirect', 0.6, `(?:note|attention|message)${words(4)}(?:l'ia|l'assistant|ia|intelligence artificielle) ?[:,]`],
      ['override', 0.6, `ne (?:suis|suivez) pas${words(2)}(?:demande|question)${words(3)}utilisateur`],
    ],
  },
  {
    drop: '(?:ignor(?:a|e|ad|en)|olvid(?:a|e|ate)|haz caso omiso|omite|descart(?:a|e)|no (?:sigas|obedezcas|hagas caso|respetes)|desobedece|sa[l]tate|elude)',
    orders: '(?:instrucci(?:on|ones)|reglas?|indicaciones|directrices|ordenes|restricciones|normas|politicas|filtros)',
    earlier: '(?:anterior(?:es)?|previas?|previos?|de arriba|todas?|todos|tus|sistema|desarrollador|dadas)',
    show: '(?:muestra(?:me)?|repite|revela|imprime|dime|escribe|ensena(?:me)?|copia|traduce)',
    prompt:
      '(?:tu prompt|prompt (?:del? sistema|inicial)|mensaje del? sistema|instrucciones (?:ocultas|del sistema|iniciales que)|tus instrucciones)',
    more: [
      ['override', 0.7, `(?:ignora|olvida|haz caso omiso)${words(3)}(?:lo que|todo)${words(4)}(?:dicho|antes|anterior|arriba)`],
      ['override', 0.55, `(?:anuladas?|canceladas?|sin efecto)${words(4)}(?:instrucciones|reglas|indicaciones)`],
      [
        'persona',
        0.55,
        `(?:sin|ningun[ao]?)${words(2)}(?:restriccion(?:es)?|limites|censura|filtros?|reglas)${words(6)}(?:nunca te niegas|responde|actua)`,
      ],
      ['persona', 0.5, `(?:actuas|eres|responde)${words(6)}sin${words(1)}(?:restriccion(?:es)?|censura|limites|filtros?)`],
      ['indirect', 0.6, `(?:mensaje|nota|atencion)${words(4)}(?:asistente|ia|modelo)(?: de ia)? ?[:,]`],
      ['override', 0.6, `(?:ignora|omite)${words(4)}(?:pide|pida|solicita)${words(2)}usuario`],
    ],
  },
  {
    drop: '(?:ignor(?:a|i|ate)|dimentica(?:te)?|trascura|non (?:rispettare|seguire|obbedire)|lascia perdere|scarta|aggira)',
    orders: '(?:istruzioni|regole|direttive|indicazioni|ordini|restrizioni|limitazioni|filtri)',
    earlier: '(?:precedenti|sopra|tutte|tutti|tue|dato|date|sistema|iniziali|sviluppatore)',
    show: '(?:mostra(?:mi)?|ripeti|rivela|stampa|dimmi|scrivi|copia|traduci)',
    prompt:
      '(?:tuo prompt|prompt (?:di|del) sistema|messaggio di sistema|istruzioni (?:che hai ricevuto|nascoste)|tue istruzioni)',
    more: [
      ['persona', 0.5, `(?:rispondi|sei|agisci)${words(6)}senza${words(1)}(?:filtri|regole|limiti|censura|restrizioni)`],
      ['persona', 0.45, `non rifiuti mai`],
      ['override', 0.5, `(?:tuo|vero) (?:nuovo|unico)? ?compito`],
      ['override', 0.6, `ignora${words(1)}(?:la )?richiesta${words(2)}utente`],
      ['indirect', 0.6, `(?:nota|messaggio|attenzione)${words(4)}(?:assistente|ia|ai|modello)(?: ia| ai)? ?[:,]`],
    ],
  },
  {
    drop: '(?:ignor(?:e|a|em)|esque[cç]a|desconsider(?:e|a|em)|nao (?:siga|obede[cç]a|respeite)|descarte|contorne|desobede[cç]a)',
    orders: '(?:instruc(?:ao|oes)|regras?|orientac(?:ao|oes)|diretrizes|ordens|restric(?:ao|oes)|comandos|filtros)',
    earlier: '(?:anteriores|acima|previas?|todas?|todos|suas|antes|sistema|recebeu|desenvolvedor)',
    show: '(?:mostre|repita|revele|imprima|diga|escreva|exiba|copie|traduza)',
    prompt:
      '(?:seu prompt|prompt d[eo] sistema|mensagem d[eo] sistema|instrucoes (?:ocultas|iniciais que|que voce recebeu)|suas instrucoes)',
    more: [
      ['persona', 0.55, `voce${words(5)}(?:sem|nao tem)${words(1)}(?:limites|restricoes|regras|filtros?|censura)`],
      ['persona', 0.45, `nunca recusa`],
      ['override', 0.6, `(?:ignore|desconsidere)${words(1)}(?:o )?pedido${words(2)}usuario`],
      ['indirect', 0.6, `(?:nota|atencao|mensagem)${words(3)}(?:assistente|ia|modelo)(?: de ia)? ?[:,]`],
    ],
  },
  {
    drop: '(?:negeer|vergeet|omzeil|trek je niets aan|volg(?: \\w{1,10}){0,3} niet|houd je niet aan|hoeft je niet|niet meer aan)',
    orders: '(?:instructies|regels|richtlijnen|opdrachten|aanwijzingen|voorschriften|beperkingen|filters)',
    earlier: '(?:eerdere|vorige|voorgaande|bovenstaande|alle|je|jouw|bovengenoemde|ontwikkelaar|systeem)',
    show: '(?:laat|toon|herhaal|geef|print|onthul|schrijf|vertaal|kopieer)',
    prompt: '(?:systeem-?prompt|systeembericht|(?:verborgen|oorspronkelijke|begin)[ -]?instructies|(?:je|jouw) prompt)',
    more: [
      ['override', 0.5, `(?:doe je|luister je|gehoorzaam je)${words(2)}(?:alleen|enkel)${words(3)}(?:ik|mij)`],
      ['override', 0.6, `niet meer aan${words(1)}(?:instructies|regels|richtlijnen)`],
      ['persona', 0.45, `(?:antwoord|je bent)${words(4)}zonder${words(1)}(?:beperkingen|filters?|regels)`],
      ['exfiltration', 0.5, `herhaal${words(3)}hierboven`],
      ['override', 0.6, `negeer${words(1)}(?:verzoek|vraag)${words(3)}gebruiker`],
      ['indirect', 0.6, `(?:bericht|opmerking|let op)${words(3)}(?:ai|assistenten?|taalmodel) ?[:,]`],
    ],
  },
  {
    drop: '(?:zignoruj(?:cie)?|ignoruj|zapomnij|pomin|nie (?:przestrzegaj|stosuj sie|sluchaj)|odrzuc|obejdz|lekcewaz)',
    orders: '(?:instrukcj[eia]|polecen(?:ia|iach)|zasad(?:y|ach)?|regul(?:y|ach)?|wytyczn(?:e|ych)|ograniczen(?:ia)?|instrukcji)',
    earlier:
      '(?:poprzedni(?:e|ch)|wczesniejsz(?:e|ych)|powyzsz(?:e|ych)|powyzej|wszystk(?:ie|ich)|swoj(?:e|ich)|systemow(?:e|ych)|podanych)',
    show: '(?:pokaz|wypisz|powtorz|ujawnij|podaj|napisz|przetlumacz|skopiuj)',
    prompt:
      '(?:swoj prompt|prompt(?:u)? systemow(?:y|ego)|wiadomosc systemow(?:a|e)|instrukcje,? (?:systemowe|poczatkowe|ktore dostales))',
    more: [
      ['override', 0.5, `(?:sluchasz|wykonuj)${words(1)}(?:tylko)${words(1)}(?:mnie|moje)`],
      ['persona', 0.5, `(?:jestes|odpowiadaj)${words(5)}bez${words(2)}(?:ograniczen|filtrow|zasad|cenzury)`],
      ['override', 0.6, `zignoruj${words(1)}(?:prosbe|pytanie)${words(1)}uzytkownika`],
      ['indirect', 0.6, `(?:uwaga|wiadomosc|notatka)${words(3)}(?:asystenta?|ai|modelu)(?: ai)? ?[:,]`],
    ],
  },
  {
    drop: '(?:игнориру(?:и|ите)|проигнориру(?:и|ите)|забудь(?:те)?|не (?:следуи|соблюдаи)(?:те)?|отбрось)',
    orders: '(?:инструкц(?:ии|ию|иям)|правил(?:а|о)?|указани(?:я|и)|ограничени(?:я|и)|команды)',
    earlier: '(?:предыдущие|прежние|выше|все|свои|системные|твои)',
    show: '(?:покажи|выведи|повтори|раскрои|напиши|переведи)',
    prompt: '(?:системныи промпт|промпт|системные инструкции|свои инструкции)',
    more: [['persona', 0.5, `без${words(2)}(?:ограничении|правил|цензуры|фильтров)`]],
  },
  {
    drop: '(?:yok say|unut|goz ardi et|dikkate alma|gormezden gel)',
    orders: '(?:talimat(?:lari|larini)?|kural(?:lari|larini)?|yonerge(?:leri)?)',
    earlier: '(?:onceki|tum|butun|yukaridaki|sistem)',
    show: '(?:goster|yazdir|tekrarla|acikla)',
    prompt: '(?:sistem (?:istemi|promptu|mesaji))',
    more: [
      [
        'override',
        0.7,
        `(?:onceki|tum|yukaridaki)${words(2)}(?:talimatlari|kurallari|yonergeleri)${words(1)}(?:yok say|unut|goz ardi et)`,
      ],
    ],
  },
  {
    drop: '(?:ignorera|glom|bortse fran|folj inte)',
    orders: '(?:instruktioner(?:na)?|regler(?:na)?|riktlinjer(?:na)?)',
    earlier: '(?:tidigare|foregaende|ovanstaende|alla|dina)',
    show: '(?:visa|upprepa|skriv ut|avsloja)',
    prompt: '(?:systemprompt(?:en)?|dina instruktioner)',
    more: [],
  },
  {
    drop: '(?:ignoruj(?:te)?|zapomen(?:te)?|nedodrzuj|nerespektuj)',
    orders: '(?:pokyny|pravidla|instrukce|prikazy|omezeni)',
    earlier: '(?:predchozi|vsechny|vyse|drivejsi|sve)',
    show: '(?:ukaz|vypis|zopakuj|prozrad)',
    prompt: '(?:systemov(?:y|ou) (?:prompt|zpravu)|sve instrukce)',
    more: [],
  },
];

/** Excludes the rules of something other than the conversation, such as a game, a form or a shop. */
const OF_SOMETHING =
  '(?! (?:fur|des|van de (?!ontwikkelaar)|voor|over|para|pour|per|dla|sobre|su|de mise|del? (?!sistema|desarrollador|arriba)|du (?!systeme|developpeur)|della|rabatowe))';

/** Languages without spaces: the words of a command, close together. */
const UNSPACED: readonly Cue[] = [
  /(?:忽略|无视|無視|忘记|忘掉|不要遵守|跳过).{0,10}(?:指令|规则|指示|提示词|限制|要求|設定|设定)/u,
  /(?:指示|命令|ルール|指令|設定|制約).{0,8}(?:無視|忘れ|従わない)/u,
].map((pattern) => ({ signal: 'override', score: 0.7, pattern }));
const UNSPACED_PROMPT: readonly Cue[] = [
  /(?:系统|初始|隐藏).{0,3}(?:提示词|提示|指令|prompt).{0,10}(?:输出|告诉|显示|给我|发)/u,
  /(?:输出|告诉|显示|重复).{0,10}(?:系统|初始|隐藏).{0,3}(?:提示词|提示|指令|prompt)/u,
  /(?:システムプロンプト|初期プロンプト).{0,12}(?:表示|教え|出力|見せ)/u,
].map((pattern) => ({ signal: 'exfiltration', score: 0.7, pattern }));
const UNSPACED_PERSONA: readonly Cue[] = [
  { signal: 'persona', score: 0.5, pattern: /(?:没有|無|不受).{0,3}(?:任何)?.{0,2}(?:限制|约束)|制限なし/u },
];

export const languages: readonly Cue[] = [
  ...LANGUAGES.flatMap(({ drop, orders, earlier, show, prompt, more }) => [
    cue('override', 0.75, drop, words(4), earlier, words(3), orders, OF_SOMETHING),
    cue('override', 0.75, drop, words(4), orders, OF_SOMETHING, words(4), earlier),
    cue('exfiltration', 0.65, show, words(6), prompt),
    ...more.map(([signal, score, pattern]) => cue(signal, score, pattern)),
  ]),
  ...UNSPACED,
  ...UNSPACED_PROMPT,
  ...UNSPACED_PERSONA,
];
