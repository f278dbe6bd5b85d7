/** Private keys where none should be: people paste the wrong file. Pure. */

const heading = 'PRIVATE KEY-----';
/** Long enough to hold the heading. */
const encoded = /[A-Za-z0-9+/]{32,}/g;

/** Whether a text holds one in PEM, as it stands or in base64. */
export function holdsPrivateKey(text: string): boolean {
  if (text.includes(heading)) return true;
  return [...text.matchAll(encoded)].some(([run]) => Buffer.from(run, 'base64').includes(heading));
}
