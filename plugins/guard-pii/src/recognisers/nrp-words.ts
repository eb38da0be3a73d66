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
  vanuatuan venezuelan vietnamese walloon welsh welshman xhosa yemeni yoruba zambian zimbabwean zulu
`);

const FAITHS = words(`
  adventist agnostic agnostics ahmadi amish anglican atheist atheists bahai baptist buddhist buddhists catholic catholics
  christian christians confucian daoist episcopalian evangelical hasidic hindu hinduism hindus islamic jain jehovah jew
  jewish jews judaism lutheran mennonite methodist mormon mormons muslim muslims orthodox pagan pentecostal presbyterian
  protestant protestants quaker rastafarian scientologist shia shiite shinto sikhs sufi sunni taoist wiccan zen zoroastrian
`);

const PARTIES = words(`
  anarchist anarchists communist communists conservative conservatives democrat democrats fascist feminist labour leninist
  libertarian libertarians maoist marxist monarchist nationalist nationalists nazi nazis neonazi republican republicans
  socialist socialists tories tory trotskyist whig whigs zionist
`);

/** Nationalities, religions and parties in lower case. Plurals in `ns` are added here. */
export const NRP_WORDS: ReadonlySet<string> = new Set([
  ...NATIONALITIES,
  ...[...NATIONALITIES].filter((word) => word.endsWith('n')).map((word) => `${word}s`),
  ...FAITHS,
  ...PARTIES,
]);

/** Entries that are also given names. */
const ALSO_NAMES = words('christian german dane scot finn turk pole jain roman lao');

/** Entries that are never names of people. */
export const NO_NAMES: readonly string[] = [...NRP_WORDS].filter((word) => !ALSO_NAMES.has(word));
