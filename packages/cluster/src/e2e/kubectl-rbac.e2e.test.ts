/** Roles and bindings as their users meet them: made by kubectl, asked about by kubectl, held to at the HTTPS door. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: ServedCluster['kubectl'];

beforeAll(async () => {
  served = await startServedCluster({ nodes: 1 });
  ({ kubectl } = served);
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

/** What it printed; a no is an exit code of 1. */
const answered = async (line: string): Promise<string> => (await kubectl.run(line)).out.trim();
const refused = 'Error from server (Forbidden): ';

describe.skipIf(without)('kubectl', () => {
  test('says what the administrator can do: everything', async () => {
    expect(await kubectl("auth can-i '*' '*' --all-namespaces")).toBe('yes');
    expect(await kubectl('auth can-i get /signalbox/backup')).toBe('yes');
    expect(await kubectl('auth can-i --list')).toMatch(/^\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/m);
  });

  test('gives somebody a role in a namespace, and it counts at once', async () => {
    const can = (what: string): Promise<string> => answered(`auth can-i ${what} --as jane`);
    expect(await can('list pods')).toBe('no');
    expect(await kubectl.refused('get pods --as jane')).toContain(
      `${refused}pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"`,
    );
    await kubectl('create role reader --verb=get,list --resource=pods,pods/log');
    await kubectl('create rolebinding jane --role=reader --user=jane');
    expect(await can('list pods')).toBe('yes');
    expect(await can('get pods --subresource=log')).toBe('yes');
    expect(await can('delete pods')).toBe('no');
    expect(await can('list pods -n kube-system')).toBe('no');
    expect(await kubectl('get pods --as jane 2>&1')).toBe('No resources found in default namespace.');
    expect(await kubectl('auth can-i --list --as jane')).toMatch(/^pods\s+\[\]\s+\[\]\s+\[get list\]/m);
    expect(await kubectl.refused('get nodes --as jane')).toContain(
      `${refused}nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope`,
    );
    await kubectl('delete rolebinding jane');
    expect(await can('list pods')).toBe('no');
  });

  test('gives a group one of the roles for people', async () => {
    await kubectl('create namespace team');
    await kubectl('create rolebinding devs -n team --clusterrole=edit --group=devs');
    const as = '-n team --as ann --as-group devs';
    await kubectl(`create configmap a ${as}`);
    await kubectl(`create deployment web --image=x ${as}`);
    await kubectl(`scale deployment web --replicas=2 ${as}`);
    expect(await kubectl.refused(`create role r --verb=get --resource=pods ${as}`)).toContain(
      'roles.rbac.authorization.k8s.io is forbidden: User "ann" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "team"',
    );
  });

  test('lets nobody give what they do not have', async () => {
    await kubectl('create rolebinding lead -n team --clusterrole=admin --user=lead');
    await kubectl('create role r -n team --verb=get --resource=secrets --as lead');
    expect(await kubectl.refused('create role more -n team --verb=get --resource=nodes --as lead')).toContain(
      `${refused}roles.rbac.authorization.k8s.io "more" is forbidden: user "lead" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}`,
    );
    expect(
      await kubectl.refused('create rolebinding root -n team --clusterrole=cluster-admin --user=lead --as lead'),
    ).toContain('is attempting to grant RBAC permissions not currently held:');
  });

  test('passes on what a role of one’s own adds to view', async () => {
    await kubectl(`apply -f - <<'YAML'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: leases-view
  labels: { rbac.authorization.k8s.io/aggregate-to-view: 'true' }
rules: [{ apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get] }]
YAML`);
    await kubectl('create clusterrolebinding viewers --clusterrole=view --group=viewers');
    await until(
      () => kubectl(`get clusterrole view -o jsonpath='{.rules[?(@.resources[0]=="leases")].verbs[0]}'`),
      (verb) => verb === 'get',
    );
    expect(await kubectl('auth can-i get leases.coordination.k8s.io -A --as v --as-group viewers')).toBe('yes');
  });

  test('cannot change what a binding grants', async () => {
    await kubectl('create clusterrolebinding fixed --clusterrole=view --user=x');
    const patch = '[{"op":"replace","path":"/roleRef/name","value":"edit"}]';
    expect(await kubectl.refused(`patch clusterrolebinding fixed --type json -p '${patch}'`)).toContain(
      'cannot change roleRef',
    );
  });

  test('shows the built-in roles, and brings one up to date', async () => {
    const names = await kubectl('get clusterroles -o name');
    for (const name of ['cluster-admin', 'admin', 'edit', 'view', 'system:basic-user', 'system:kube-scheduler'])
      expect(names).toContain(`clusterrole.rbac.authorization.k8s.io/${name}`);
    await kubectl('get clusterrole view -o yaml | kubectl auth reconcile -f -');
  });

  test('lets only those act for others who may', async () => {
    await kubectl('create clusterrole acts-for-bob --verb=impersonate --resource=users --resource-name=bob');
    await kubectl('create clusterrolebinding helper --clusterrole=acts-for-bob --user=helper');
    expect(await kubectl('auth can-i impersonate users/bob -A --as helper')).toBe('yes');
    expect(await answered('auth can-i impersonate users/eve -A --as helper')).toBe('no');
  });
});

describe('a service account', () => {
  const pods = '/api/v1/namespaces/default/pods';
  const group = 'rbac.authorization.k8s.io';

  test('may nothing that it was not given', async () => {
    const make = (path: string, body: object) => served.ask(path, { method: 'POST', body });
    await make('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const { body } = await make('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
    const { status } = body as { readonly status: { readonly token: string } };
    const asRobot = { anonymous: true, headers: { authorization: `Bearer ${status.token}` } } as const;
    const refusal = await served.ask(pods, asRobot);
    expect([refusal.code, refusal.body?.['message']]).toEqual([
      403,
      'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
    ]);
    expect((await served.ask('/api', asRobot)).code).toBe(200);
    await make(`/apis/${group}/v1/namespaces/default/rolebindings`, {
      metadata: { name: 'robot' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    });
    expect((await served.ask(pods, asRobot)).code).toBe(200);
    expect((await served.ask('/api/v1/namespaces/default/secrets', asRobot)).code).toBe(403);
    expect((await served.ask('/api/v1/namespaces/kube-system/pods', asRobot)).code).toBe(403);
    expect((await served.ask('/signalbox/backup', asRobot)).code).toBe(403);
  });

  test('whoever shows nothing learns health and version', async () => {
    const anonymous = { anonymous: true } as const;
    expect((await served.ask('/readyz', anonymous)).code).toBe(200);
    expect((await served.ask('/version', anonymous)).code).toBe(200);
    expect((await served.ask('/api', anonymous)).code).toBe(401);
  });
});
