import { expect, test } from 'vitest';
import { openPkiFiles } from './pki-files.ts';
import { changeTokenKey, loadTokenKey } from './token-key.ts';
import { createTokenSigner } from './token-signer.ts';

const claims = { iss: 'me', sub: 'ada' };

test('a key that is changed goes on checking, also after the next change, until its file is taken away', async () => {
  const files = await openPkiFiles(undefined);
  const signer = async (): Promise<ReturnType<typeof createTokenSigner>> => {
    const { pem, former } = await loadTokenKey(files);
    return createTokenSigner(() => pem, { checking: former === '' ? [] : [former] });
  };
  const [first, before] = [await signer(), await loadTokenKey(files)];
  expect(before.former).toBe('');
  const old = await first.sign(claims);
  await changeTokenKey(files);
  const second = await signer();
  const newer = await second.sign(claims);
  expect([await second.read(old), await second.read(newer)]).toEqual([claims, claims]);
  expect(await first.read(newer)).toBeUndefined();
  expect(second.publicKeys().keys).toHaveLength(2);
  expect(JSON.stringify(second.publicKeys())).not.toContain('"d"');
  await changeTokenKey(files);
  const third = await signer();
  expect(await Promise.all([old, newer, await third.sign(claims)].map((token) => third.read(token)))).toEqual([
    ...[claims, claims, claims],
  ]);
  expect(third.publicKeys().keys).toHaveLength(3);
  const { former } = await loadTokenKey(files);
  expect(former).not.toContain('PRIVATE');
  await files.write('sa-former.pub', '');
  expect(await (await signer()).read(old)).toBeUndefined();
});
