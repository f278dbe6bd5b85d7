import { describe, expect, test } from 'vitest';
import { services } from '../../api/generated/kinds.ts';
import { createTestServer, refusalOf } from '../../testing/api-server.ts';

const service = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
});
const addressOf = ({ object }: { readonly object: unknown }): string =>
  (object as { readonly spec: { readonly clusterIP: string } }).spec.clusterIP;

describe('cluster addresses', () => {
  test('are in the range and never given twice, however creates race', async () => {
    const { create } = await createTestServer({ serviceCidr: '10.96.0.0/24' });
    const made = await Promise.all(Array.from({ length: 200 }, (_, index) => create(services, service(`s${index}`))));
    const addresses = made.map(addressOf);
    expect(new Set(addresses).size).toBe(200);
    for (const address of addresses) expect(address).toMatch(/^10\.96\.0\.\d+$/);
  });

  test('of a full range are refused', async () => {
    const { create } = await createTestServer({ serviceCidr: '10.96.0.0/30' });
    await create(services, service('a'));
    expect(await refusalOf(create(services, service('b')))).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.clusterIPs' }] },
    });
  });

  test('come back when their service goes', async () => {
    const { create, delete: remove } = await createTestServer({ serviceCidr: '10.96.0.0/30' });
    const first = addressOf(await create(services, service('a')));
    await remove(services, 'a');
    expect(addressOf(await create(services, service('b')))).toBe(first);
  });

  test('that are taken are refused', async () => {
    const { create } = await createTestServer();
    const clusterIP = addressOf(await create(services, service('a')));
    const refusal = await refusalOf(create(services, service('b', { clusterIP })));
    expect(refusal.message).toContain('provided IP is already allocated');
  });

  test('stay: another one is refused as such, wherever it is', async () => {
    const { create, merge } = await createTestServer();
    await create(services, service('a'));
    const taken = addressOf(await create(services, service('b')));
    for (const clusterIP of ['1.2.3.4', taken]) {
      const body = { spec: { clusterIP, clusterIPs: [clusterIP] } };
      expect((await refusalOf(merge(services, 'a', { body }))).message).toBe(
        `Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["${clusterIP}"]: may not change once set`,
      );
    }
  });

  test('a create that fails gives its address back in time', async () => {
    const { create, clock } = await createTestServer({ serviceCidr: '10.96.0.0/30' });
    await refusalOf(create(services, service('Bad_Name')));
    await clock.advance(60_000);
    expect((await create(services, service('b'))).code).toBe(201);
  });

  test('are kept by an update that does not mention them', async () => {
    const { create, update } = await createTestServer();
    const first = addressOf(await create(services, service('a')));
    expect(addressOf(await update(services, service('a', { ports: [{ port: 81 }] })))).toBe(first);
  });

  test('a dry run takes none', async () => {
    const { create } = await createTestServer({ serviceCidr: '10.96.0.0/30' });
    await create(services, service('a'), { dryRun: true });
    expect((await create(services, service('b'))).code).toBe(201);
  });

  test('survive a restart', async () => {
    const first = await createTestServer({ serviceCidr: '10.96.0.0/29' });
    const before = await Promise.all(['a', 'b', 'c'].map((name) => first.create(services, service(name))));
    await first.store.close();
    const second = await createTestServer({ backend: first.backend, serviceCidr: '10.96.0.0/29' });
    const after = await Promise.all(['d', 'e'].map((name) => second.create(services, service(name))));
    expect(new Set([...before, ...after].map(addressOf)).size).toBe(5);
  });
});

describe('node ports', () => {
  const portOf = ({ object }: { readonly object: unknown }): number =>
    (object as { readonly spec: { readonly ports: readonly { readonly nodePort: number }[] } }).spec.ports[0]
      ?.nodePort ?? 0;
  test('are given to services that need them, once each', async () => {
    const { create } = await createTestServer();
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(services, service(`s${index}`, { type: 'NodePort' }))),
    );
    expect(new Set(made.map(portOf)).size).toBe(50);
    const taken = create(
      services,
      service('x', { type: 'NodePort', ports: [{ port: 80, nodePort: portOf(made[0] ?? { object: {} }) }] }),
    );
    expect((await refusalOf(taken)).message).toContain('provided port is already allocated');
  });
});

test('the service of the API itself has the first address', async () => {
  const { get } = await createTestServer();
  expect(await get(services, 'kubernetes')).toMatchObject({ spec: { clusterIP: '10.96.0.1', ports: [{ port: 443 }] } });
});
