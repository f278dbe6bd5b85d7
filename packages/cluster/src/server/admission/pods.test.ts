import { beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods, serviceaccounts } from '../../api/generated/kinds.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';

let plane: TestServer;
beforeEach(async () => {
  plane = await createTestServer({ givesApiAccess: true });
});

function account(name: string, more: object = {}): Promise<unknown> {
  return plane.create(serviceaccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, ...more });
}

async function made(name: string, spec: object = {}, metadata: object = {}): Promise<Pod> {
  return (await plane.create(pods, pod(name, spec, metadata))).object as Pod;
}

const volumesOf = ({ spec }: Pod): readonly string[] => (spec.volumes ?? []).map(({ name }) => name);

test('a pod gets what it needs to call the API, under a name of its own', async () => {
  const [first, second] = [await made('a'), await made('b')];
  expect(volumesOf(first)).toEqual([expect.stringMatching(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/)]);
  expect(volumesOf(second)).not.toEqual(volumesOf(first));
});

test('it gets nothing where no API can be called', async () => {
  plane = await createTestServer();
  expect((await made('a')).spec.volumes).toBeUndefined();
});

test('an update takes nothing away and adds nothing', async () => {
  const before = await made('a');
  const { object } = await plane.update(pods, { ...before, metadata: { ...before.metadata, labels: { a: 'b' } } });
  expect((object as Pod).spec).toEqual(before.spec);
});

test('its account decides, and lends its pull secrets', async () => {
  await account('robot', { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'registry' }] });
  const { spec } = await made('a', { serviceAccountName: 'robot' });
  expect(spec.volumes).toBeUndefined();
  expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
});

describe('rules that are left out', () => {
  const without = async (...withoutAdmission: readonly string[]): Promise<Pod> => {
    plane = await createTestServer({ givesApiAccess: true, withoutAdmission });
    return made('a', withoutAdmission.includes('ServiceAccount') ? { serviceAccountName: 'nobody' } : {});
  };
  test('no account is looked up, none is given', async () => {
    const { spec } = await without('ServiceAccount');
    expect(volumesOf(await made('b'))).toEqual([]);
    expect((await made('c')).spec.serviceAccountName).toBeUndefined();
    expect(spec.serviceAccountName).toBe('nobody');
    expect(spec.priority).toBe(0);
  });
  test('no priority, no tolerations', async () => {
    const { spec } = await without('Priority', 'DefaultTolerationSeconds');
    expect([spec.priority, spec.tolerations]).toEqual([undefined, undefined]);
    expect(spec.serviceAccountName).toBe('default');
  });
});

describe('a pod is refused', () => {
  test('whose account does not exist', async () => {
    const refused = refusalOf(made('a', { serviceAccountName: 'robot' }));
    expect(await refused).toMatchObject({
      code: 403,
      message:
        'pods "a" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
    });
    await account('robot');
    expect((await made('a', { serviceAccountName: 'robot' })).metadata.name).toBe('a');
  });

  test('under the name that its maker knows', async () => {
    const body = pod('', { serviceAccountName: 'robot' }, { name: undefined, generateName: 'web-' });
    expect((await refusalOf(plane.create(pods, body))).message).toContain('pods "web-" is forbidden: error looking up');
    // Pods of a StatefulSet carry both.
    const both = pod('web-0', { serviceAccountName: 'robot' }, { generateName: 'web-' });
    expect((await refusalOf(plane.create(pods, both))).message).toContain(
      'pods "web-0" is forbidden: error looking up',
    );
  });

  test('never for the account that every namespace is about to have', async () => {
    expect((await made('a', { serviceAccountName: 'default' })).spec.serviceAccount).toBe('default');
  });
});

describe('the mirror of a pod that its node runs on its own', () => {
  const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
  test('gets neither account nor token', async () => {
    const { spec } = await made('static', { nodeName: 'n' }, mirror);
    expect(spec.volumes).toBeUndefined();
    expect(spec.serviceAccountName).toBeUndefined();
  });
  test.each([
    [{ serviceAccountName: 'default' }, 'a mirror pod may not reference service accounts'],
    [
      { volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }] },
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ])('may name neither', async (spec, why) => {
    expect(await refusalOf(made('static', spec, mirror))).toMatchObject({
      code: 403,
      message: `pods "static" is forbidden: ${why}`,
    });
  });
});
