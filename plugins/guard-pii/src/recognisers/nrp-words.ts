import { words } from './recogniser.ts';

/** Written for this package. */
const NATIONALITIES = words(`
  afghan african albanian algerian american andorran angolan antiguan arab arabian arabic argentine argentinean argentinian
  armenian asian australian austrian azerbaijani azeri bahamian bahraini balkan bangladeshi barbadian basque bavarian
  belarusian belgian belizean belizian bengali beninese bermudian bhutanese bolivian bosnian botswanan brazilian
  breton british briton britons bruneian bulgarian burkinabe burmese burundian californian cambodian cameroonian canadian
  caribbean catalan caucasian chadian chechen chilean chinese colombian comoran congolese croat croatian cuban cypriot czech
  dane danish djiboutian dominican dutch dutchman ecuadorean ecuadorian egyptian emirati english englishman eritrean estonian
  ethiopian european faroese faroeser fijian filipina filipino finn finnish flemish french frenchman gabonese gambian
  georgian german ghanaian gibraltarian greek greenlandic grenadian guamanian guatemalan guinean guyanese haitian
  hausa hawaiian hispanic hmong honduran hungarian hutu icelander icelandic igbo indian indonesian inuit iranian iraqi irish
  irishman israeli italian ivorian jamaican japanese jordanian kazakh kazakhstani kenyan kiribati korean kosovar kurd kurdish
  kuwaiti kyrgyz lao laotian latina latino latinx latvian lebanese liberian libyan liechtensteiner lithuanian luxembourger
  luxembourgish macedonian malagasy malawian malaysian maldivian malian maltese manx maori mauritanian mauritian mexican
  micronesian moldovan monegasque mongolian montenegrin moroccan mozambican namibian nauruan nepalese nepali nicaraguan
  nigerian nigerien norwegian omani pakistani palauan palestinian panamanian paraguayan pashtun persian peruvian pole polish
  portuguese punjabi qatari romani romanian russian rwandan salvadoran sami sammarinese samoan saudi scandinavian scot
  scotsman scottish senegalese serb serbian seychellois sicilian sikh singaporean slovak slovakian slovene slovenian somali
  spaniard spanish sudanese surinamese swazi swede swedish swiss syrian taiwanese tajik tamil tanzanian tatar texan thai
  tibetan togolese tongan trinidadian tunisian turk turkish turkmen tutsi tuvaluan ugandan ukrainian uruguayan uyghur uzbek
  vanuatuan venezuelan vietnamese walloon welsh welshman welshmen xhosa yemeni yoruba zambian zimbabwean zulu
  aboriginal aborigine aborigines acadian afghani afro amazigh amhara apache aymara bamar bantu barbadians bedouin bedouins berber cantonese
  cherokee chicano chicana comorian cree creole czechoslovak dalit dalits druze emiratis englishmen englishwoman eurasian filipinas filipinos
  frenchmen frenchwoman fulani goan guarani gujarati gujaratis gurkha harari irishmen irishwoman inuvialuit iroquois kannada kashmiri kashmiris
  khmer kikuyu kongolese kosovan kosovars latinas latinos levantine maasai malayali malays mapuche maratha marathi masai
  métis metis micmac mi'kmaq mohawk mongol mongols montenegrins māori navajo ojibwe oromo ossetian ottoman papuan pakistanis poles
  prussian quechua quebecois québécois roma rohingya rwandans samoans scotsmen scots serbs sindhi sinhalese sioux slav slavic slavs slovenes
  somalis soviet swedes tajiks tatars telugu thais tibetans tigrayan tuareg turks tutsis uyghurs uzbeks yemenis yolngu zulus
  israelis iraqis kuwaitis omanis qataris saudis bangladeshis azeris bengalis nepalis punjabis arabs kurds croats czechs danes finns greeks slovaks
  basques swazis hutus kazakhs turkmens maoris bahrainis yugoslav
`);

/** Entries of two words, with a space between them. In texts, a hyphen may join them. */
export const NRP_PAIRS: ReadonlySet<string> = words(`
  african_american african_americans arab_american asian_american asian_americans cape_verdean cape_verdeans central_african
  central_africans central_american central_americans costa_rican costa_ricans dutch_reformed east_african east_africans east_asian
  east_asians east_german east_timorese eastern_european eastern_europeans eastern_orthodox first_nations greek_orthodox hong_konger hong_kongers
  irish_american irish_catholic italian_american italian_americans latin_american latin_americans
  marshall_islander mexican_american mexican_americans middle_eastern middle_easterner native_american
  native_americans new_zealander new_zealanders north_african north_africans north_american north_americans north_indian north_korean
  north_koreans northern_irish pacific_islander pacific_islanders papua_guinean puerto_rican puerto_ricans roman_catholic roman_catholics
  russian_orthodox san_marinese saudi_arabian saudi_arabians scotch_irish sierra_leonean sierra_leoneans
  solomon_islander south_african south_africans south_american south_americans south_asian south_asians south_indian south_indians
  south_korean south_koreans south_sudanese southeast_asian southeast_asians sri_lankan sri_lankans swiss_german
  torres_strait viet_cong west_african west_africans west_german west_indian west_indians
`);

const FAITHS = words(`
  adventists ahmadiyya anglicans ashkenazi bahá'í baptists buddhism calvinist calvinists catholicism christianity coptic copt copts evangelicals
  hasidim hinduism islam islamist islamists ismaili jainism jains judaism lutherans mennonites methodists mormonism pagans parsi parsis
  pentecostals presbyterians puritan puritans quakers rabbinic sabbatarian sephardic shiites sikhism sunnis taoism unitarian wahhabi yazidi yazidis
  zoroastrians zionists
  adventist agnostic agnostics ahmadi amish anglican atheist atheists bahai baptist buddhist buddhists catholic catholics
  christian christians confucian daoist episcopalian evangelical hasidic hindu hindus islamic jain jehovah jew
  jewish jews lutheran mennonite methodist mormon mormons muslim muslims orthodox pagan pentecostal presbyterian
  protestant protestants quaker rastafarian scientologist shia shiite shinto sikhs sufi sunni taoist wiccan zen zoroastrian
`);

const PARTIES = words(`
  anarchist anarchists communist communists conservative conservatives democrat democrats fascist feminist feminists leninist
  libertarian libertarians maoist marxist monarchist nationalist nationalists nazi nazis neonazi republican republicans
  socialist socialists tories tory trotskyist whig whigs zionist labourite bolshevik bolsheviks peronist peronists falangist
`);

/** Nationalities, religions and parties in lower case. Plurals in `ns` are added here. */
export const NRP_WORDS: ReadonlySet<string> = new Set([
  ...NATIONALITIES,
  ...[...NATIONALITIES].filter((word) => word.endsWith('n')).map((word) => `${word}s`),
  ...FAITHS,
  ...PARTIES,
]);

/** The first words of {@link NRP_PAIRS}. */
export const NRP_BEGINNINGS: ReadonlySet<string> = new Set([...NRP_PAIRS].map((pair) => pair.split(' ')[0] ?? ''));

/** Entries that mean something else in lower case: `a conservative estimate`, `to polish`. */
export const CAPITALISED_ONLY: ReadonlySet<string> = new Set([
  ...PARTIES,
  ...words(
    `pole poles scot scots polish swiss orthodox pagan pagans creole apache cree roma afro zen aboriginal ottoman slav turk lao finn dane danes
    soviet balkan jain evangelical islamic puritan mongol mohawk goan unitarian coptic dutch greek turkish english french first_nations bedouin latin`,
  ),
]);

/** Entries that are also given names. */
const ALSO_NAMES = words('christian dane scot finn roman');

/** Entries that are never names of people. */
export const NO_NAMES: ReadonlySet<string> = new Set([...NRP_WORDS].filter((word) => !ALSO_NAMES.has(word)));
