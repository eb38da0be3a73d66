import { type Cue, cue, words } from './cue.ts';

/** Words of a language about the conversation itself. Folded: without accents. */
interface Talk {
  readonly ignore: string;
  /** "Everything", "what", "the text". */
  readonly everything: string;
  /** "Before", "above", "you were told". */
  readonly before: string;
  readonly rules: string;
  /** "Do not apply", "are void". */
  readonly void: string;
  readonly show: string;
  /** "What is", "what are". */
  readonly ask: string;
  /** Your prompt or instructions. */
  readonly prompt: string;
  /** A secret that was given to the model. */
  readonly secret: string;
  /** "You are", "act as", "pretend". */
  readonly act: string;
  /** "Without restrictions". */
  readonly free: string;
  readonly granted: string;
}

const TALKS: readonly Talk[] = [
  {
    ignore:
      '(?:ignorier(?:e|en|t)?|vergiss|vergessen sie|vergesst|missachte[nt]?|verwirf|verwerfen sie|ubergehe[nt]?|uberspring(?:e|en)?|losche|beachte nicht|hor auf|lass)',
    everything:
      '(?:alles|samtliches?|was|jede[nrs]? (?:wort|satz|hinweis|vorgabe|anweisung)|(?:den|die|das) (?:\\w{1,12} )?(?:text|anweisungen|worte|kontext|prompt|aufgabe|gesprach|satze|obige|bisherige|vorherige|gesagte))',
    before:
      '(?:bisher(?:ige[nrs]?)?|vorher(?:ige[nrs]?)?|zuvor|davor|oben|obige[nrs]?|vorangegangene[nrs]?|fruhere[nrs]?|(?:dir|ihnen) (?:bisher |vorher |zuvor )?(?:gesagt|mitgeteilt|aufgetragen|befohlen|beigebracht|gegeben)|vorgaben|weiter oben|vorgegeben|vor (?:dieser|meiner) (?:nachricht|frage|eingabe))',
    rules: '(?:regeln|anweisungen|vorgaben|richtlinien|beschrankungen|einschrankungen|instruktionen|befehle|auflagen|filter)',
    void: '(?:gelten nicht|gilt nicht|sind (?:ab sofort |nun |jetzt |hiermit )?(?:aufgehoben|ungultig|nichtig|hinfallig|ausser kraft)|nicht mehr gultig|entfallen|ausser kraft|abgeschaltet|deaktiviert)',
    show: '(?:zeig(?:e|en)?|gib|geben sie|nenn(?:e|en)?|verrat(?:e|en)?|sag(?:e|en)?|wiederhol(?:e|en)?|druck(?:e|en)?|schreib(?:e|en)?|ubersetz(?:e|en)?|offenbare|buchstabier(?:e|en)?|liste|lies|fass|gebt|zitier(?:e|en)?)',
    ask: '(?:was|wie|welche[nrs]?)',
    prompt:
      '(?:system-?prompts?|systemanweisung(?:en)?|systemnachricht|prompts?|(?:deine?[nr]?|ihre?[nr]?) (?:\\w{1,20} )?(?:anweisungen|instruktionen|vorgaben|regeln|konfiguration|initialisierung)|erste nachricht|anfangsanweisung(?:en)?)',
    secret:
      '(?:passworts?|kennworts?|zugangscodes?|geheimcodes?|geheime[nrs]? (?:wort|code|schlussel|passwort)|geheimnis|zugriffscodes?|codewort|losungswort|geheimwort)',
    act: '(?:du bist|sie sind|spiel(?:e|en)?|tu so|stell dir vor|agier(?:e|en)?|verhalte dich|antworte|handle|werde|ab (?:jetzt|sofort)|von (?:nun|jetzt) an)',
    free: '(?:(?:ohne|keine(?:rlei|n)?|frei von)(?: \\w{1,14})? (?:regeln|filter|einschrankungen|beschrankungen|grenzen|zensur|moral|verbote|vorgaben|tabus|richtlinien)|uneingeschrankte?[nrs]?|unzensierte?[nrs]?|alles darf)',
    granted: '(?:zugang|zugriff|zutritt) (?:gewahrt|erlaubt|freigegeben|erteilt|gestattet)',
  },
  {
    ignore:
      '(?:ignor(?:a|e|en|ad|ar)|olvid(?:a|e|en|ate|ese|ar)|descart(?:a|e|en)|desestim(?:a|e)|haz caso omiso|pasa por alto|borra|no (?:hagas caso|tengas en cuenta|sigas|obedezcas|cumplas)|deja de (?:seguir|obedecer)|omite|omitan)',
    everything:
      '(?:todo(?: lo)?|lo|cuanto|cualquier (?:cosa|instruccion|indicacion|norma)|(?:el|la|las|los|tus?) (?:\\w{1,12} )?(?:texto|contexto|mensajes?|conversacion|indicaciones|tareas?|instrucciones|ordenes|palabras))',
    before:
      '(?:anterior(?:es)?|antes|previ[oa]s?|arriba|hasta (?:ahora|aqui)|te (?:han|hayan|dijeron|dieron|ordenaron|ensenaron|dije)|se te (?:dijo|ha|indico|dio)|preceden?t?e?s?|dicho|recibiste|recibido)',
    rules: '(?:reglas|instrucciones|normas|directrices|restricciones|limitaciones|indicaciones|politicas|filtros|ordenes)',
    void: '(?:no (?:se aplican?|valen|tienen (?:efecto|validez)|rigen|cuentan)|ya no|quedan? (?:anulad|sin|cancelad|derogad|suspendid)[a-z]{0,3}|han sido (?:anulad|cancelad|revocad|eliminad)[a-z]{0,3}|estan (?:anulad|desactivad|cancelad|suspendid)[a-z]{0,3})',
    show: '(?:muestra(?:me)?|muestre(?:me)?|di(?:me)?|diga(?:me)?|dame|repite(?:me)?|repita|revela(?:me)?|revele|imprime|imprima|escrib[ea](?:me)?|copia(?:me)?|traduce|traduzca|cuentame|deletrea|enumera|resume|transcribe|ensename|ensena)',
    ask: '(?:cual(?:es)?|que|como)',
    prompt:
      '(?:(?:tu|tus|su|sus) (?:\\w{1,14} )?(?:prompt|instrucciones|directrices|reglas|configuracion|indicaciones)|prompt (?:del? )?(?:sistema|inicial|oculto)|mensaje (?:del? )?sistema|instrucciones (?:del? sistema|iniciales|ocultas|secretas)|primer mensaje)',
    secret:
      '(?:contrasena|clave (?:secreta|de acceso)?|codigo (?:secreto|de acceso)|palabra (?:secreta|clave)|secreto|frase secreta)',
    act: '(?:eres|actua|responde|finge|haz de|imagina|comportate|seras|conviertete|a partir de ahora|desde ahora)',
    free: '(?:(?:sin|libre de|ninguna?|carece[sn]? de)(?: \\w{1,12})? (?:restricciones?|reglas?|limites?|limitaciones|censura|filtros?|normas|moral|etica|tabues|ataduras)|irrestricta|que puede hacer (?:cualquier cosa|todo))',
    granted: '(?:acceso (?:concedido|permitido|autorizado|otorgado))',
  },
  {
    ignore:
      "(?:ignore[rz]?|oublie[rz]?|neglige[rz]?|ecarte[rz]?|efface[rz]?|laisse[rz]? (?:tomber|de cote)|fai(?:s|tes) (?:abstraction|comme si)|mets? de cote|mettez de cote|n'(?:obeis|obeissez) (?:pas|plus)|ne (?:tiens|tenez|suis|suivez|respecte|respectez|prends|prenez) (?:pas|plus)|passe[rz]? outre|arrete[rz]? de suivre)",
    everything:
      "(?:tout(?: ce)?|ce qu(?:i|e|'on)|(?:les?|la|l'|tes|vos|toute la|tout le) ?(?:\\w{1,12} )?(?:textes?|contexte|messages?|conversation|consignes|taches?|instructions|ordres|mots|phrases?))",
    before:
      "(?:precede(?:nte?s?|mment)?|avant|anterieure?s?|ci-dessus|(?:au-|plus )(?:dessus|haut)|jusqu'(?:ici|a present)|(?:on|je|il) (?:t'a|vous a|t'avait)|(?:t'|vous )(?:ont|a|ai|avait) (?:ete )?(?:dit|donne|demande|appris)|dit|recues?|donnees?|initiale?s?|auparavant)",
    rules: '(?:regles|instructions|consignes|directives|restrictions|limites|limitations|filtres|ordres|politiques)',
    void: "(?:ne (?:s'appliquent|valent|comptent|sont) plus|n'(?:ont|est) plus|n'existent plus|sont (?:desormais |maintenant )?(?:annule|nulle|leve|caduque|suspendue|desactive|abroge|obsolete|revoque)[a-z]{0,3}|ne te concernent (?:pas|plus))",
    show: '(?:affiche[rz]?|montre[rz]?|donne[rz]?|di(?:s|tes)|repete[rz]?|revele[rz]?|ecri(?:s|vez|re)|imprime[rz]?|tradui(?:s|sez|re)|copie[rz]?|recopie[rz]?|recite[rz]?|enumere[rz]?|epelle|resume|communique[rz]?|cite)',
    ask: "(?:quel(?:le|s|les)?|que|qu'est-ce|comment)",
    prompt:
      '(?:(?:ton|tes|votre|vos) (?:\\w{1,14} )?(?:prompt|instructions|consignes|directives|regles|configuration)|prompt (?:systeme|initial|cache|de depart)|message systeme|instructions (?:systeme|initiales|cachees|secretes|de depart)|consignes (?:initiales|cachees|secretes)|premier message)',
    secret:
      "(?:mot de passe|code (?:secret|d'acces|d’acces)|cle secrete|mot secret|phrase secrete|secret|mot magique|mot-cle secret)",
    act: '(?:tu es|vous etes|agis|fai(?:s|tes) (?:semblant|comme si)|imagine|comporte[- ]toi|joue|reponds?|repondez|deviens|desormais|a partir de maintenant|dorenavant)',
    free: '(?:(?:sans|aucune?|libre de(?: toute)?|plus de)(?: \\w{1,12})? (?:restrictions?|regles?|consignes?|limites?|limitations?|censure|filtres?|morale|ethique|tabous?|contraintes?)|non censuree?|capable de tout)',
    granted: '(?:acces (?:accorde|autorise|valide|permis))',
  },
  {
    ignore:
      '(?:ignor(?:a|i|ate|are)|dimentica(?:ti|te|re)?|trascura(?:te)?|scarta(?:te)?|tralascia|lascia (?:perdere|stare)|cancella|non (?:tenere|tener|tenete) conto|non (?:seguire|rispettare|obbedire|considerare|badare)|metti da parte|smetti di (?:seguire|obbedire)|disattendi|salta)',
    everything:
      "(?:tutto(?: cio| quello)?|quanto|cio|quello|qualsiasi (?:cosa|istruzione|ordine|indicazione)|(?:le|la|il|l'|i|gli|tutt[ei] (?:le|i|gli)) ?(?:\\w{1,12} )?(?:testo|contesto|messagg[io]|conversazione|indicazioni|istruzioni|compit[oi]|ordini|parole|frasi))",
    before:
      '(?:precede(?:nt(?:e|i|emente)|va)?|prima|sopra|finora|in precedenza|anterior[ei]|(?:ti|vi) (?:e stato|hanno|ho|e stata|sono state?i?) (?:detto|dato|date|ordinato|insegnato)?|detto|ricevut[oaei]|iniziali|impartit[oaei]|fin qui)',
    rules: '(?:regole|istruzioni|direttive|indicazioni|restrizioni|limitazioni|norme|ordini|filtri|linee guida)',
    void: '(?:non (?:valgono|si applicano|contano|sono) piu|non (?:valgono|si applicano|contano)|sono (?:ora |adesso |state )?(?:annullat|revocat|sospes|abolit|null|disattivat|superat|decadut)[a-z]{1,2}|non esistono piu|sono prive di)',
    show: '(?:mostra(?:mi|te)?|di(?:mmi|ci|te)|ripeti(?:mi)?|ripetete|rivela(?:mi)?|stampa(?:mi)?|scrivi(?:mi)?|copia(?:mi)?|traduci(?:mi)?|elenca(?:mi)?|dammi|riporta(?:mi)?|trascrivi|riassumi|recita|svela(?:mi)?|visualizza)',
    ask: "(?:qual(?:e|i)?|cosa|che|com'e|quali)",
    prompt:
      '(?:(?:tu[oe]|tuoi|vostr[eo]|sue) (?:\\w{1,14} )?(?:prompt|istruzioni|direttive|regole|configurazione|indicazioni)|prompt (?:di|del )?(?:sistema|iniziale|nascosto)|messaggio di sistema|istruzioni (?:di sistema|iniziali|nascoste|segrete)|primo messaggio)',
    secret:
      "(?:password|parola (?:d'ordine|segreta|chiave)|codice (?:segreto|di accesso|d'accesso)|chiave segreta|frase segreta|segreto)",
    act: "(?:sei|siete|agisci|comportati|fingi|fai finta|immagina|rispondi|diventa|d'ora in (?:poi|avanti)|da (?:ora|adesso))",
    free: "(?:(?:senza|(?:nessun|alcun)[ao']?|priv[oa] di|liber[oa] da|non hai)(?: \\w{1,12})? (?:restrizion[ei]|regol[ae]|limit[ei]|limitazioni|censur[ae]|filtr[oi]|moral[ei]|etica|tabu|vincoli)|non censurat[oa])",
    granted: '(?:accesso (?:consentito|concesso|autorizzato|permesso|garantito))',
  },
  {
    ignore:
      '(?:ignor(?:e|a|em|ar)|esque[cç](?:a|am|er)|desconsider(?:e|a|em|ar)|descarte|apague|deixe de (?:lado|seguir|obedecer)|pare de (?:seguir|obedecer)|nao (?:siga|obede[cç]a|considere|leve|cumpra|respeite|ligue)|desobede[cç]a|pule)',
    everything:
      '(?:tudo(?: o)?|o que|aquilo|qualquer (?:coisa|instrucao|ordem|orientacao)|(?:o|a|os|as|todas? as?|todos? os?) (?:\\w{1,12} )?(?:texto|contexto|mensage(?:m|ns)|conversa|orientacoes|instrucoes|tarefas?|ordens|palavras|frases?))',
    before:
      '(?:anterior(?:es|mente)?|antes|previ[oa]s?|acima|ate (?:agora|aqui)|(?:foi|foram|lhe foi|te foi) (?:dit[oa]s?|dad[oa]s?|passad[oa]s?|ensinad[oa]s?)|(?:te|lhe) (?:disseram|deram|falaram|passaram)|recebeu|recebid[oa]s?|dito|precedentes?|iniciais)',
    rules: '(?:regras|instrucoes|diretrizes|restricoes|limitacoes|normas|orientacoes|ordens|politicas|filtros|comandos)',
    void: '(?:nao (?:valem|se aplicam|contam|existem|estao|tem)(?: mais)?|foram (?:anulad|cancelad|revogad|suspens|removid|desativad)[a-z]{0,3}|estao (?:anulad|cancelad|revogad|suspens|desativad|sem)[a-z]{0,3}|perderam|ja nao)',
    show: '(?:mostr[ea](?:-me)?|diga(?:-me)?|diz(?:-me)?|me (?:diga|mostre|de|conte|fale)|repita|repete|revele|revela|imprima|imprime|escrev[ea]|cop(?:ie|ia)|traduza|traduz|exiba|liste|transcreva|soletre|conte|informe|resuma|recite)',
    ask: '(?:qual|quais|que|como)',
    prompt:
      '(?:(?:seus?|suas?|teus?|tuas?) (?:\\w{1,14} )?(?:prompt|instrucoes|diretrizes|regras|configuracao|orientacoes)|prompt (?:d[eo] )?(?:sistema|inicial|oculto)|mensagem (?:d[eo] )?sistema|instrucoes (?:d[eo] sistema|iniciais|ocultas|secretas)|primeira mensagem)',
    secret:
      '(?:senha|codigo (?:secreto|de acesso)|palavra[- ](?:passe|secreta|chave|magica)|chave secreta|frase secreta|segredo)',
    act: '(?:voce (?:e|agora|sera)|tu es|aja|atue|finja|imagine|comporte-se|responda|torne-se|seja|a partir de agora|de agora em diante)',
    free: '(?:(?:sem|nenhuma?|livre de|nao tem|nao possui)(?: \\w{1,12})? (?:restric(?:ao|oes)|regras?|limites?|limitacoes|censura|filtros?|moral|etica|tabus|amarras)|irrestrit[oa])',
    granted: '(?:acesso (?:concedido|permitido|autorizado|liberado))',
  },
  {
    ignore:
      '(?:z?ignoruj(?:cie)?|zignorowac|zapomnij(?:cie)?|pomin|pomijaj|odrzuc|porzuc|usun|nie (?:przestrzegaj|stosuj|sluchaj|zwazaj|bierz|zwracaj)|przestan (?:przestrzegac|stosowac|sluchac)|zlekcewaz|lekcewaz|olej|skasuj)',
    everything:
      '(?:wszystko|(?:o )?wszystkim|to|co|(?:(?:cal(?:y|a|ej)|t(?:e|en|ych)|wszystkie|wszystkich|wszelkie|o) (?:\\w{1,14} )?)?(?:tekst\\w{0,2}|kontekst\\w{0,2}|wiadomosc\\w{0,3}|rozmow\\w{1,2}|instrukcj\\w{1,3}|polecen\\w{0,3}|zadani\\w{1,3}|slow\\w{0,3}|zdani\\w{1,3}|wytyczn\\w{1,3}))',
    before:
      '(?:wczesniej(?:sz[aeyo]\\w{0,2})?|poprzedni(?:o|e|ch|m|a|ego)?|powyzej|powyzsz(?:e|ych|y|a)|dotychczas(?:ow\\w{1,3})?|do tej pory|przed(?:tem)?|(?:ci|tobie) (?:powiedzian[oe]|przekazan[oe]|kazan[oe]|podan[oe])|(?:dostales|otrzymales|slyszales)|powiedziano)',
    rules: '(?:zasad(?:y|ach)?|instrukcj(?:e|i|ach)|polecenia|wytyczne|regul(?:y|ach)|ograniczenia|nakazy|filtry)',
    void: '(?:nie (?:obowiazuja|maja zastosowania|dzialaja|obowiazuje|licza sie|sa)(?: juz)?|juz nie obowiazuj\\w{1,3}|przestaly|zostaly (?:uniewaznione|anulowane|odwolane|zniesione|usuniete|wylaczone|cofniete)|sa (?:niewazne|uniewaznione|anulowane|zniesione|wylaczone|nieaktualne)|stracily)',
    show: '(?:pokaz|wypisz|powtorz|ujawnij|podaj|napisz|przetlumacz|skopiuj|zdradz|powiedz|wyswietl|wymien|przepisz|przytocz|zacytuj|wydrukuj|stresc)',
    ask: '(?:jak(?:ie|i|a|ich)?|co|ktore)',
    prompt:
      '(?:(?:swoj(?:e|ego|a|ich)?|twoj(?:e|ego|a|ich)?) (?:\\w{1,16} )?(?:prompt(?:u)?|instrukcj[eia]|polecen\\w{1,2}|wytyczn\\w{1,2}|zasad\\w{0,2}|konfiguracj\\w)|prompt(?:u)? (?:systemow\\w{1,3}|poczatkow\\w{1,3})|(?:tresc|instrukcj[eia]|wiadomosc) (?:systemow\\w{1,3}|poczatkow\\w{1,3}|ukryt\\w{1,3})|pierwsz[aą] wiadomosc)',
    secret:
      '(?:haslo|hasla|kod(?:u)? dostepu|tajn(?:y|e|a) (?:kod|haslo|slowo|klucz|fraze?)|sekretn(?:y|e|a) (?:kod|haslo|slowo|klucz)|sekret|klucz dostepu)',
    act: '(?:jestes|badz|dzialaj|udawaj|zachowuj sie|wyobraz sobie|odpowiadaj|odpowiedz|stan sie|od teraz|od tej (?:chwili|pory))',
    free: '(?:(?:bez|zadnych|wolny od|nie masz)(?: \\w{1,14})? (?:ograniczen|zasad|regul|filtrow|cenzury|limitow|moralnosci|etyki|hamulcow)|nieograniczon\\w{1,3}|nieocenzurowan\\w{1,3})',
    granted: '(?:dostep (?:przyznany|udzielony|dozwolony|zezwolony)|przyznano dostep)',
  },
];

/** Languages without spaces. */
const ZH = {
  ignore:
    '(?:忽略|忽視|忽视|无视|無視|忘记|忘記|忘掉|抛开|拋開|抛弃|丢掉|别管|別管|不要管|不用管|不要理会|不必理会|不要理會|跳过|跳過|放弃|停止(?:遵守|执行)|不要(?:遵守|遵循|执行|理睬)|不再(?:遵守|遵循)|撤销|取消|清除|删除)',
  before: '(?:之前|以前|前面|上面|以上|上述|先前|此前|前述|所有|一切|任何|原来|原先|最初|全部|你的|系统|系統|告诉你|告訴你|收到)',
  orders:
    '(?:指令|指示|规则|規則|规定|規定|提示词?|提示詞?|命令|要求|限制|约束|內容|内容|的话|對話|对话|设定|設定|说明|准则|指引|信息|消息|说过|吩咐)',
  show: '(?:输出|輸出|告诉|告訴|显示|顯示|打印|列印|重复|重複|复述|複述|给我|給我|写出|寫出|说出|說出|透露|泄露|洩露|公布|公开|展示|列出|翻译|翻譯|把|念出|发给|贴出|说一下|是什么|是什麼|有哪些)',
  prompt:
    '(?:系统提示词?|系統提示詞?|系统消息|系统指令|初始(?:提示词?|指令|设定)|隐藏(?:的)?(?:提示词?|指令)|(?:你的|你被|你收到的)(?:系统|初始|全部|所有|原始)?(?:提示词?|提示詞?|指令|设定|規則|规则|配置|prompt)|上面(?:的)?(?:所有)?(?:内容|文字|文本|对话)|以上(?:的)?(?:所有|全部)?(?:内容|文字|文本|对话)|我(?:的|这条)?(?:消息|信息|问题|訊息|問題)(?:的)?(?:之前|以前|前面|上面|上方)(?:的)?(?:所有|全部)?(?:内容|文字|文本|內容)|第一条消息|system ?prompt|密码|密碼|口令|密钥|暗号|访问码|秘密)',
  free: '(?:没有|沒有|无|無|不受|不再受|摆脱|去除|解除)(?:任何|一切|所有)?.{0,4}(?:限制|约束|約束|规则|规定|過濾|过滤|审查|道德|束缚)',
};
const JA = {
  before:
    '(?:これまで|今まで|以前|前|上記|上|先ほど|さっき|最初|すべて|全て|全部|あらゆる|システム|あなたの|与えられた|受け取った|開発者)',
  orders: '(?:指示|命令|ルール|規則|指令|設定|制約|制限|ガイドライン|プロンプト|内容|会話|こと|もの|話|規約|ポリシー|教え)',
  ignore: '(?:無視|忘れ|破棄|取り消|従わな|従う必要は|守らな|守る必要は|捨て|リセット|解除|無効|スキップ|気にし(?:ない|なく))',
  show: '(?:表示|教え|出力|見せ|書き出|繰り返|公開|明かし|示し|述べ|言っ|話し|翻訳|列挙|コピー|印刷|読み上げ|要約|貼り付け|答え|開示|何です|何と書)',
  prompt:
    '(?:システム(?:プロンプト|メッセージ|指示)|初期(?:プロンプト|指示|設定)|(?:あなた|君|お前)(?:の|に与えられた|が受け取った)(?:最初の|元の|内部の|隠された|システム)?(?:プロンプト|指示|命令|設定|ルール|ガイドライン)|隠された(?:指示|プロンプト)|上(?:記|に書かれ|にある|の)(?:の|た)?(?:文章|内容|テキスト|文|すべて|全て|指示)|最初のメッセージ|(?:私の|この)(?:メッセージ|質問|発言)(?:の|より)(?:前|上)|これより(?:上|前)|パスワード|合言葉|秘密の(?:コード|言葉|鍵|キー)|アクセスコード|暗証番号)',
  free: '(?:制限|制約|規制|ルール|検閲|フィルター|倫理|道徳|縛り)(?:が|の|を|に|も|は|や[^。]{1,8})?(?:一切|全く|まったく|何も)?(?:ない|なし|なく|無し|受けない|縛られない|とらわれない|解除|外し)',
};

const unspaced = (signal: Cue['signal'], score: number, ...parts: readonly string[]): Cue => ({
  signal,
  score,
  pattern: new RegExp(parts.join(''), 'u'),
});
const GAP = '[^。！？\\n]{0,8}?';

export const conversation: readonly Cue[] = [
  ...TALKS.flatMap((talk): Cue[] => [
    cue('override', 0.6, talk.ignore, words(2), talk.everything, words(4), talk.before),
    cue('override', 0.6, talk.ignore, words(2), talk.rules, words(2), talk.before),
    cue('override', 0.6, talk.ignore, words(2), talk.before, words(1), talk.rules),
    cue('override', 0.55, talk.rules, words(3), talk.void),
    cue('exfiltration', 0.6, talk.show, words(5), talk.prompt),
    cue('exfiltration', 0.55, talk.ask, words(4), talk.prompt),
    cue('exfiltration', 0.55, talk.show, words(4), talk.secret),
    cue('exfiltration', 0.5, talk.show, words(4), talk.everything, words(3), talk.before),
    cue('persona', 0.55, talk.act, words(8), talk.free),
    cue('override', 0.5, talk.granted),
  ]),
  unspaced('override', 0.65, ZH.ignore, GAP, ZH.before, GAP, ZH.orders),
  unspaced(
    'override',
    0.6,
    ZH.before,
    GAP,
    ZH.orders,
    GAP,
    '(?:无效|無效|作废|作廢|失效|不再(?:适用|有效|生效)|不算数|都是假的|全部取消|已(?:被)?(?:取消|撤销|解除|废除))',
  ),
  unspaced('exfiltration', 0.6, ZH.show, GAP, ZH.prompt),
  unspaced('exfiltration', 0.6, ZH.prompt, GAP, ZH.show),
  unspaced(
    'persona',
    0.55,
    '(?:你是|你现在|你現在|扮演|假装|假裝|从现在起|從現在起|从现在开始|从此|作为|充当|回答)',
    '[^。！？\\n]{0,16}?',
    ZH.free,
  ),
  unspaced('override', 0.5, '(?:访问|存取|通行)(?:已)?(?:授权|允许|通过|許可)|允许访问'),
  unspaced('override', 0.65, JA.before, GAP, JA.orders, GAP, JA.ignore),
  unspaced(
    'override',
    0.55,
    '(?:ルール|指示|制約|規則|命令)(?:は|が|を)',
    GAP,
    '(?:適用され(?:ない|ません)|無効|もう有効で|効力(?:が|を)|取り消され|撤回)',
  ),
  unspaced('exfiltration', 0.6, JA.prompt, '[^。！？\\n]{0,14}?', JA.show),
  unspaced('persona', 0.55, '(?:あなたは|君は|お前は|として|になりき|演じ|今から|これから|ai)', '[^。！？\\n]{0,20}?', JA.free),
  unspaced('persona', 0.55, JA.free, GAP, '(?:かのように|ように|として)', GAP, '(?:振る舞|ふるま|行動|答え|応答|話)'),
  unspaced('override', 0.5, 'アクセス(?:を)?(?:許可|承認)'),
];
