import { creditCard } from './recognisers/credit-card.ts';
import { crypto } from './recognisers/crypto.ts';
import { ambiguousMonth, dateTime, monthAlone, year } from './recognisers/date-time.ts';
import { emailAddress } from './recognisers/email-address.ts';
import { ibanCode } from './recognisers/iban-code.ts';
import { ipv4Address, ipv6Address } from './recognisers/ip-address.ts';
import { medicalLicense } from './recognisers/medical-license.ts';
import { nrp } from './recognisers/nrp.ts';
import { phoneNumber } from './recognisers/phone-number.ts';
import type { Recogniser } from './recognisers/recogniser.ts';
import { auAbn } from './recognisers/regional/au-abn.ts';
import { auAcn } from './recognisers/regional/au-acn.ts';
import { auMedicare } from './recognisers/regional/au-medicare.ts';
import { auTfn } from './recognisers/regional/au-tfn.ts';
import { beNationalNumber } from './recognisers/regional/be-national-number.ts';
import { brCnpj } from './recognisers/regional/br-cnpj.ts';
import { brCpf } from './recognisers/regional/br-cpf.ts';
import { caSin } from './recognisers/regional/ca-sin.ts';
import { chAhv } from './recognisers/regional/ch-ahv.ts';
import { cnResidentId } from './recognisers/regional/cn-resident-id.ts';
import { deTaxId } from './recognisers/regional/de-tax-id.ts';
import { esNie } from './recognisers/regional/es-nie.ts';
import { esNif } from './recognisers/regional/es-nif.ts';
import { fiPersonalIdentityCode } from './recognisers/regional/fi-personal-identity-code.ts';
import { frNir } from './recognisers/regional/fr-nir.ts';
import { inAadhaar } from './recognisers/regional/in-aadhaar.ts';
import { inPan } from './recognisers/regional/in-pan.ts';
import { itDriverLicense, itIdentityCard, itPassport } from './recognisers/regional/it-documents.ts';
import { itFiscalCode } from './recognisers/regional/it-fiscal-code.ts';
import { itVatCode } from './recognisers/regional/it-vat-code.ts';
import { jpMyNumber } from './recognisers/regional/jp-my-number.ts';
import { krRrn } from './recognisers/regional/kr-rrn.ts';
import { nlBsn } from './recognisers/regional/nl-bsn.ts';
import { plPesel } from './recognisers/regional/pl-pesel.ts';
import { ptNif } from './recognisers/regional/pt-nif.ts';
import { sePersonnummer } from './recognisers/regional/se-personnummer.ts';
import { sgNricFin } from './recognisers/regional/sg-nric-fin.ts';
import { thTnin } from './recognisers/regional/th-tnin.ts';
import { ukNhs } from './recognisers/regional/uk-nhs.ts';
import { ukNino } from './recognisers/regional/uk-nino.ts';
import { url } from './recognisers/url.ts';
import { usBankNumber } from './recognisers/us-bank-number.ts';
import { usDriverLicense } from './recognisers/us-driver-license.ts';
import { usItin } from './recognisers/us-itin.ts';
import { usPassport } from './recognisers/us-passport.ts';
import { usSsn } from './recognisers/us-ssn.ts';

/** Entities that identify a person. They are on by default. */
const ON_BY_DEFAULT: readonly Recogniser[] = [
  emailAddress,
  creditCard,
  ibanCode,
  phoneNumber,
  usSsn,
  usItin,
  usPassport,
  usBankNumber,
  ipv4Address,
  ipv6Address,
  crypto,
  medicalLicense,
];

const WHEN_LISTED: readonly Recogniser[] = [
  dateTime,
  monthAlone,
  ambiguousMonth,
  year,
  url,
  nrp,
  usDriverLicense,
  caSin,
  ukNino,
  ukNhs,
  esNif,
  itFiscalCode,
  plPesel,
  fiPersonalIdentityCode,
  deTaxId,
  auTfn,
  auAbn,
  auAcn,
  auMedicare,
  inPan,
  inAadhaar,
  sgNricFin,
  frNir,
  nlBsn,
  esNie,
  ptNif,
  brCpf,
  brCnpj,
  itVatCode,
  itPassport,
  itIdentityCard,
  itDriverLicense,
  chAhv,
  beNationalNumber,
  sePersonnummer,
  jpMyNumber,
  cnResidentId,
  krRrn,
  thTnin,
];

/** Found by the name model, not by a pattern. */
export const NAME_ENTITIES: readonly string[] = ['PERSON', 'LOCATION'];

/** Whether an entity is found by words, not by a number or a form. */
export function isByWords(entity_type: string): boolean {
  return NAME_ENTITIES.includes(entity_type) || entity_type === 'NRP';
}

/** Other names of an entity. Findings use the name that the configuration has. */
const ALIASES: ReadonlyMap<string, string> = new Map([['NATIONAL_INSURANCE_NUMBER', 'CA_SIN']]);

export const DEFAULT_ENTITIES: readonly string[] = ['PERSON', ...namesOf(ON_BY_DEFAULT)];

export const KNOWN_ENTITIES: readonly string[] = [...DEFAULT_ENTITIES, 'LOCATION', ...namesOf(WHEN_LISTED), ...ALIASES.keys()];

export function recognisersOf(entities: readonly string[]): Recogniser[] {
  const all = [...ON_BY_DEFAULT, ...WHEN_LISTED];
  return entities.flatMap((entity_type) => {
    const name = ALIASES.get(entity_type) ?? entity_type;
    return all.filter((recogniser) => recogniser.entity_type === name).map((recogniser) => ({ ...recogniser, entity_type }));
  });
}

function namesOf(recognisers: readonly Recogniser[]): string[] {
  return [...new Set(recognisers.map(({ entity_type }) => entity_type))];
}
