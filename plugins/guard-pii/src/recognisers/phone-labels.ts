import { words } from './recogniser.ts';

/** Words for phones and calls, by language. Those with accents also count without. */
const LABELS: Readonly<Record<string, string>> = {
  en: `phone phones telephone tel telefon mobile cell cellphone cellular call calls called calling dial dialed ring fax sms text texted message messages
    messaging whatsapp signal hotline helpline voicemail ph mob landline reach contact`,
  de: `telefonnummer telefonnr telefonnummern telefonisch handy handynummer handynr mobil mobilnummer mobiltelefon mobilfunk mobilfunknummer rufnummer
    festnetz festnetznummer faxnummer telefax durchwahl anrufen anruf angerufen rückruf rückrufnummer erreichbar erreichen erreichst natel`,
  fr: `tél téléphone téléphonique téléphonez portable fixe télécopie appelez appeler appelle appel rappeler rappelez joindre joignable contactez
    contacter standard gsm`,
  es: `telf tlf tfno teléfono teléfonos telefónico móvil celular llamar llámame llámeme llame llamada llamen llámenos contacto contactar contáctame fijo
    marcar marque`,
  it: `telefono telefonico telefonare telefonate cellulare cellulari chiamare chiama chiamami chiamate chiamatemi chiamarmi recapito fisso utenza contattare
    contattatemi`,
  nl: `telefoon telefoonnummer telefoonnr telefonisch mobiel mobiele mobieltje bellen bel belt gebeld bereikbaar bereiken faxnummer`,
  pt: `telefone telefones telemóvel telemóveis fone fones tlm celulares ligar ligue liga ligação contato contatar zap`,
  pl: `telefonu telefony telefoniczny telefonicznie kom komórka komórkowy komórki dzwonić zadzwoń zadzwonić dzwoń infolinia faks kontakt kontaktowy`,
  ru: `телефон телефоны телефона телефону тел моб мобильный мобильного сотовый сотовая звоните звонить позвоните позвонить перезвоните факс`,
  sv: `tfn telefonnummer mobilnr ring ringa ringer nås tlf`,
  tr: `telefonu cep numaram arayın arayabilirsiniz`,
  hi: `फ़ोन फ़ोन फोन मोबाइल`,
  zh: `电话 手机 致电 来电 拨打 传真 座机 热线 联系方式 電話 手機 致電 撥打 傳真 熱線 聯絡方式`,
  ja: `電話 携帯 連絡先 ファックス 内線 フリーダイヤル ケータイ でんわ`,
  ko: `전화 전화번호 휴대폰 핸드폰 휴대전화 연락처 팩스`,
};

/** Labels of national ids, which are masked only if they are listed. */
export const ID_LABELS = words(
  `ssn social_security passport iban ip card sin sins nas social_insurance tfn abn acn medicare nhs nino pesel aadhaar hetu nif nie dni
  nir sécu sécurité_sociale siret siren bsn burgerservicenummer kvk btw rijksregisternummer niss contribuinte cpf cnpj cep rg iva p.iva partita_iva
  fiscale steuernummer steuer-id idnr sozialversicherungsnummer ahv avs personnummer organisationsnummer nip regon инн снилс паспорт ustid
  zip zipcode plz postal postcode`,
);

const written = Object.values(LABELS).join(' ');
const withoutAccents = written.normalize('NFD').replace(/[\u0300-\u036f]/g, '');

/** A word that is a label only without its accents is no label if it is one of an id: `NAS`. */
export const PHONE_LABELS: ReadonlySet<string> = new Set([
  ...words(written),
  ...[...words(withoutAccents)].filter((word) => !ID_LABELS.has(word)),
]);
