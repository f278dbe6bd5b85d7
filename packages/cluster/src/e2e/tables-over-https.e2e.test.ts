import { describe, expect, test } from 'vitest';
import { startServedCluster } from './served-cluster.ts';
import { type Judged, playTables } from './tables/play.ts';

async function openOverHttps(): Promise<Judged> {
  const { ask, problems, close } = await startServedCluster({ nodes: 0 });
  return { hasListener: true, ask, problems, close };
}

describe('over HTTPS', () => {
  playTables(openOverHttps);
});

test('health is for everybody', async () => {
  const served = await startServedCluster({ nodes: 0 });
  try {
    expect(await served.ask('/readyz', { anonymous: true })).toMatchObject({ code: 200 });
  } finally {
    await served.close();
  }
});
