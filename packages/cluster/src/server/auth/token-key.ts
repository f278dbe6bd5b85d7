import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { PkiFiles } from './pki-files.ts';

/** As kubeadm calls it. */
const fileName = 'sa.key';
/** Public halves of those before it, as PEM one after the other. Who takes the file away ends their time. */
const formerFileName = 'sa-former.pub';

export interface TokenKey {
  /** The private key that signs tokens of service accounts, as PEM. */
  readonly pem: string;
  /** The public keys by which tokens from before a change of the key are still checked, as PEM; empty: none. */
  readonly former: string;
  readonly notices: readonly string[];
}

/** Reads the key; makes it where it is missing or cannot be used. */
export async function loadTokenKey(files: PkiFiles): Promise<TokenKey> {
  const [known, former = ''] = await Promise.all([files.read(fileName), files.read(formerFileName)]);
  if (known !== undefined && readTokenKey(known) !== undefined) return { pem: known, former, notices: [] };
  const pem = makeTokenKey();
  await files.write(fileName, pem);
  return { pem, former, notices: known === undefined ? [] : [replaced] };
}

/** A new key signs from now on; tokens that the one before has signed go on counting. */
export async function changeTokenKey(files: PkiFiles): Promise<void> {
  const { pem, former } = await loadTokenKey(files);
  const publicKey = String(createPublicKey(pem).export({ type: 'spki', format: 'pem' }));
  // First what checks: whatever ends this in between, no token is refused.
  await files.write(formerFileName, `${former}${publicKey}`);
  await files.write(fileName, makeTokenKey());
}

const replaced = `the key that signs tokens of service accounts (pki/${fileName}) could not be used and was replaced; tokens from before now are refused: pods get new ones by themselves, copies elsewhere have to be made again`;

/** Small and quick, and taken by everything that checks tokens: ECDSA on P-256. */
export function makeTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** Undefined when it is no such key. */
export function readTokenKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
