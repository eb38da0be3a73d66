import type { CreatedCredential } from './api-types.ts';

type PasskeyJson = CreatedCredential['credential'];

/** The parts of `PublicKeyCredential` that turn JSON into options; absent in older browsers. */
type FromJson = Pick<typeof PublicKeyCredential, 'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON'>;

/** Why the browser returned no passkey, by the name of its exception. */
const PROBLEMS: Readonly<Record<string, string>> = {
  NotAllowedError: 'You canceled, or this device has none of your passkeys.',
  InvalidStateError: 'This device already has a passkey of yours.',
  SecurityError: 'Passkeys do not work at this address of the gateway.',
};

/** @param options of `navigator.credentials.create`, as JSON @throws {Error} with a message for the visitor */
export function createPasskey(options: object): Promise<PasskeyJson> {
  return asked((from) =>
    navigator.credentials.create({
      publicKey: from.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON),
    }),
  );
}

/** @param options of `navigator.credentials.get`, as JSON @throws {Error} with a message for the visitor */
export function signWithPasskey(options: object): Promise<PasskeyJson> {
  return asked((from) =>
    navigator.credentials.get({ publicKey: from.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON) }),
  );
}

async function asked(ask: (from: FromJson) => Promise<Credential | null>): Promise<PasskeyJson> {
  if (typeof PublicKeyCredential === 'undefined' || !('parseRequestOptionsFromJSON' in PublicKeyCredential))
    throw new Error('This browser does not support passkeys at this address. Use https and a newer browser.');
  try {
    const credential = await ask(PublicKeyCredential);
    // Its type omits some of the returned fields.
    if (credential instanceof PublicKeyCredential) return credential.toJSON() as unknown as PasskeyJson;
  } catch (error) {
    if (error instanceof DOMException)
      throw new Error(PROBLEMS[error.name] ?? 'The passkey could not be used.', { cause: error });
    throw error;
  }
  throw new Error('The browser returned no passkey.');
}
