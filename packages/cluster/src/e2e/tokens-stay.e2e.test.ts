/** A token outlives the process that signed it, and the folder, when that was backed up. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TokenRequest } from '../api/generated/authentication-v1.ts';
import { serviceaccounts } from '../api/generated/kinds.ts';
import type { Outcome } from '../api/operation.ts';
import { administrator } from '../api/system-identities.ts';
import { type Cluster, createCluster } from '../cluster.ts';
import { loadServingPki } from '../serve.ts';
import { openLmdbBackend } from '../store/backends/lmdb.ts';
import { readPrivateFiles } from '../store/backup/check-folder.ts';
import { restoreFolder } from '../store/backup/restore.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();

async function open(path: string): Promise<Cluster> {
  const pki = await loadServingPki({ folder: path });
  return createCluster({ nodes: 0, backend: await openLmdbBackend({ path }), certificateAuthority: pki });
}

function perform(cluster: Cluster, more: object): Promise<Outcome> {
  const { user } = administrator;
  const target = { verb: 'create', resource: serviceaccounts, namespace: 'default', user, options: {} } as const;
  return cluster.api.perform({ ...target, body: {}, ...more }, { signal });
}

async function who(cluster: Cluster, token: string): Promise<string> {
  const verdict = await cluster.api.tokens.authenticate(token);
  return verdict.known ? verdict.user.name : (verdict.why ?? 'nobody');
}

test('a restart and a restored backup know it; a new key knows nothing of it', async () => {
  const [path, file, copy] = ['data', 'backup', 'copy'].map((name) => join(folder, name)) as [string, string, string];
  const first = await open(path);
  await perform(first, { body: { metadata: { name: 'robot' } } });
  const { object } = await perform(first, { name: 'robot', subresource: 'token' });
  const { token } = (object as unknown as TokenRequest).status;
  await writeFile(file, first.backup({ files: await readPrivateFiles(path) }));
  await first.close();

  const robot = 'system:serviceaccount:default:robot';
  const second = await open(path);
  expect(await who(second, token)).toBe(robot);
  await second.close();

  await restoreFolder({ file, path: copy, replace: false });
  expect((await stat(join(copy, 'pki/sa.key'))).mode & 0o777).toBe(0o600);
  const third = await open(copy);
  expect(await who(third, token)).toBe(robot);
  await third.close();

  await rm(join(copy, 'pki/sa.key'));
  const fourth = await open(copy);
  expect(await who(fourth, token)).toBe('nobody');
  await fourth.close();
});
