import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { PkiFiles } from './pki-files.ts';

/** As kubeadm calls it. */
const fileName = 'sa.key';

export interface TokenKey {
  /** The private key that signs tokens of service accounts, as PEM. */
  readonly pem: string;
  readonly notices: readonly string[];
}

/** Reads the key; makes it where it is missing or cannot be used. */
export async function loadTokenKey(files: PkiFiles): Promise<TokenKey> {
  const known = await files.read(fileName);
  if (known !== undefined && readTokenKey(known) !== undefined) return { pem: known, notices: [] };
  const pem = makeTokenKey();
  await files.write(fileName, pem);
  return { pem, notices: known === undefined ? [] : [replaced] };
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
