import { words } from './recogniser.ts';

/** Words that announce some other kind of number. */
export const OTHER_NUMBERS = words(
  `order orders invoice invoices part parts sku serial tracking shipment parcel ticket case model version isbn issn upc ean
  reference ref receipt confirmation booking reservation item product catalog catalogue batch lot asset build revision
  bestellung bestellnummer bestellnr auftrag auftragsnummer auftragsnr rechnung rechnungsnummer rechnungsnr kundennummer kundennr artikelnummer artikel
  seriennummer sendungsnummer aktenzeichen vorgangsnummer vertragsnummer referenz buchung buchungsnummer
  commande facture référence dossier colis suivi série devis contrat réservation
  pedido factura referencia expediente seguimiento envío versión lote reserva contrato
  ordine fattura riferimento pratica spedizione lotto versione prenotazione contratto
  bestelling bestelnummer ordernummer factuur factuurnummer klantnummer referentie zending versie boeking
  encomenda fatura referência processo versão protocolo nota_fiscal
  zamówienie zamówienia faktura faktury przesyłka przesyłki wersja
  заказ заказа счёт счет версия`,
);
