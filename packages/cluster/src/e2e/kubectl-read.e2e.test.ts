import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kitchenSink } from './manifests.ts';
import {
  type Kubectl,
  kubectlMinor,
  type ServedCluster,
  startServedCluster,
  withoutKubectl,
} from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: Kubectl;

/** Ages, suffixes and addresses differ between runs. */
function steady(text: string): string {
  return text
    .replace(/\b\d+(m\d+)?s\b/g, 'AGE')
    .replace(/\b10\.128\.\d+\.\d+/g, 'POD-IP')
    .replace(/\b10\.96\.\d+\.\d+/g, 'CLUSTER-IP')
    .replace(/-[0-9a-z]{8,10}-[0-9a-z]{5}\b/g, '-HASH-ID')
    .replace(/(fluentd)-[0-9a-z]{5}\b/g, '$1-ID')
    .replace(/ +$/gm, '')
    .replace(/ {2,}/g, '  ');
}

const table = async (line: string): Promise<string[]> => steady(await kubectl(`get ${line}`)).split('\n');

beforeAll(async () => {
  if (without) return;
  served = await startServedCluster();
  ({ kubectl } = served);
  await kubectl('apply -f -', { stdin: kitchenSink });
  await Promise.all(
    ['ds/fluentd', 'deploy/web', 'sts/db'].map((set) => kubectl(`rollout status ${set} --timeout=20s`)),
  );
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

describe.skipIf(without)('tables', () => {
  test.each<[string, string]>([
    ['nodes', 'NAME  STATUS  ROLES  AGE  VERSION'],
    [
      'nodes -o wide',
      'NAME  STATUS  ROLES  AGE  VERSION  INTERNAL-IP  EXTERNAL-IP  OS-IMAGE  KERNEL-VERSION  CONTAINER-RUNTIME',
    ],
    ['pods -o wide', 'NAME  READY  STATUS  RESTARTS  AGE  IP  NODE  NOMINATED NODE  READINESS GATES'],
    ['ds', 'NAME  DESIRED  CURRENT  READY  UP-TO-DATE  AVAILABLE  NODE SELECTOR  AGE'],
    [
      'ds -o wide',
      'NAME  DESIRED  CURRENT  READY  UP-TO-DATE  AVAILABLE  NODE SELECTOR  AGE  CONTAINERS  IMAGES  SELECTOR',
    ],
    ['deploy -o wide', 'NAME  READY  UP-TO-DATE  AVAILABLE  AGE  CONTAINERS  IMAGES  SELECTOR'],
    ['rs -o wide', 'NAME  DESIRED  CURRENT  READY  AGE  CONTAINERS  IMAGES  SELECTOR'],
    ['sts -o wide', 'NAME  READY  AGE  CONTAINERS  IMAGES'],
    ['svc -o wide', 'NAME  TYPE  CLUSTER-IP  EXTERNAL-IP  PORT(S)  AGE  SELECTOR'],
    ['endpoints', 'NAME  ENDPOINTS  AGE'],
    ['endpointslices', 'NAME  ADDRESSTYPE  PORTS  ENDPOINTS  AGE'],
    ['cm', 'NAME  DATA  AGE'],
    ['secrets', 'NAME  TYPE  DATA  AGE'],
    ['pvc', 'NAME  STATUS  VOLUME  CAPACITY  ACCESS MODES  STORAGECLASS  VOLUMEATTRIBUTESCLASS  AGE'],
    ['hpa', 'NAME  REFERENCE  TARGETS  MINPODS  MAXPODS  REPLICAS  AGE'],
    ['ns', 'NAME  STATUS  AGE'],
    ['events', 'LAST SEEN  TYPE  REASON  OBJECT  MESSAGE'],
    ['leases -n kube-node-lease', 'NAME  HOLDER  AGE'],
    ['controllerrevisions', 'NAME  CONTROLLER  REVISION  AGE'],
    ['priorityclasses', 'NAME  VALUE  GLOBAL-DEFAULT  AGE  PREEMPTIONPOLICY'],
    ['pdb', 'NAME  MIN AVAILABLE  MAX UNAVAILABLE  ALLOWED DISRUPTIONS  AGE'],
    ['roles', 'NAME  CREATED AT'],
    ['rolebindings -o wide', 'NAME  ROLE  AGE  USERS  GROUPS  SERVICEACCOUNTS'],
    ['ingress', 'NAME  CLASS  HOSTS  ADDRESS  PORTS  AGE'],
    ['jobs', 'NAME  STATUS  COMPLETIONS  DURATION  AGE'],
    ['cronjobs', 'NAME  SCHEDULE  TIMEZONE  SUSPEND  ACTIVE  LAST SCHEDULE  AGE'],
  ])('%s', async (what, header) => {
    const [first, ...rows] = (await kubectl(`get ${what}`)).split('\n');
    expect(first?.trim().split(/ {2,}/).join('  ')).toBe(header);
    expect(rows.length).toBeGreaterThan(0);
  });

  test('rows say what upstream says', async () => {
    const [node, ds, deploy, sts, service, claim, secret, pods] = await Promise.all([
      table('nodes --no-headers'),
      table('ds --no-headers -o wide'),
      table('deploy --no-headers'),
      table('sts --no-headers'),
      table('svc web --no-headers -o wide'),
      table('pvc --no-headers'),
      table('secret sec --no-headers'),
      table('pods --no-headers -l app=web'),
    ]);
    expect(node[0]).toMatch(/^node-1 {2}Ready {2}<none> {2}AGE {2}v1\.\d+\.\d+$/);
    expect(ds).toEqual(['fluentd  3  3  3  3  3  <none>  AGE  fluentd  fluentd:v5  name=fluentd']);
    expect(deploy).toEqual(['web  2/2  2  2  AGE']);
    expect(sts).toEqual(['db  2/2  AGE']);
    expect(service).toEqual(['web  ClusterIP  CLUSTER-IP  <none>  80/TCP  AGE  app=web']);
    expect(claim[0]).toMatch(/^data {2}(Pending|Bound)/);
    expect(secret).toEqual(['sec  Opaque  1  AGE']);
    expect(pods).toEqual(['web-HASH-ID  2/2  Running  0  AGE', 'web-HASH-ID  2/2  Running  0  AGE']);
  });
});

describe.skipIf(without)('output and selection', () => {
  test.each<[string, RegExp | string]>([
    ['get pods -l app=db -o name', 'pod/db-0\npod/db-1'],
    ["get pods -l app=db -o jsonpath='{.items[*].metadata.name}'", 'db-0 db-1'],
    ["get pods -l 'app in (db)' -o go-template='{{range .items}}{{.metadata.name}} {{end}}'", 'db-0 db-1'],
    ['get pods -l app=db --no-headers -o custom-columns=N:.metadata.name,X:.spec.none', 'db-0   <none>\ndb-1   <none>'],
    ['get pods -l app=db --sort-by=.metadata.name -o name', 'pod/db-0\npod/db-1'],
    ['get pods --field-selector metadata.name=db-1 -o name', 'pod/db-1'],
    ['get pods --field-selector spec.nodeName=none -o name', ''],
    ['get pods -A --chunk-size=2 -o name', /^(pod\/\S+\n){7}pod\/\S+$/],
    ['get pod/db-0 cm/conf -o name', 'pod/db-0\nconfigmap/conf'],
    ['get all -o name', /^pod\/db-0\n[\s\S]*statefulset.apps\/db/],
    ['get sts db -o yaml', /^apiVersion: apps\/v1\nkind: StatefulSet\nmetadata:\n/],
    ["get --raw '/readyz?verbose'", /readyz check passed/],
    ['api-versions', /^apps\/v1$/m],
    ['api-resources --namespaced=false -o name', /^nodes$/m],
    ['api-resources', /^daemonsets +ds +apps\/v1 +true +DaemonSet$/m],
    ['auth can-i create pods', 'yes'],
    ['cluster-info', /is running at .*https:\/\/127\.0\.0\.1:/],
    ['logs db-0', /container started/],
    ['logs deploy/web -c web --tail=1', /level=info/],
    // kubectl reads the pods in no order.
    ['logs -l app=db --tail=1 --prefix', /^(?=[\s\S]*\[pod\/db-0\/db\])(?=[\s\S]*\[pod\/db-1\/db\])/],
    ['logs deploy/web --all-containers --prefix', /web\/side\]|\/side\]/],
    ['explain ds.spec.updateStrategy.rollingUpdate', /maxUnavailable/],
    ['explain pods.spec.containers.image', /The image to run/],
    ['explain sts --recursive', /volumeClaimTemplates/],
    ['version', /Server Version: .*1\.34/],
  ])('%s', async (line, expected) => {
    const out = await kubectl(line);
    if (typeof expected === 'string') expect(out.trim()).toBe(expected);
    else expect(out).toMatch(expected);
  });

  test.each<[string, string]>([
    ['get pod none', 'pods "none" not found'],
    ['get things', `the server doesn't have a resource type "things"`],
    ['get pods --field-selector a=b', 'field label not supported: a'],
    ["get pods -l 'a in ('", 'unable to parse requirement'],
    ['logs db-0 --previous', 'previous terminated container "db" in pod "db-0" not found'],
    ['logs db-0 -c none', 'container none is not valid for pod db-0'],
    ['exec db-0 -- ls', 'this server cannot open a stream into a pod of a simulated node (pods/exec, node '],
    ['attach db-0', 'this server cannot open a stream into a pod of a simulated node (pods/attach, node '],
    [
      'port-forward db-0 8080:80',
      'this server cannot open a stream into a pod of a simulated node (pods/portforward, node ',
    ],
    [
      'cp db-0:/etc/hosts /dev/null',
      'this server cannot open a stream into a pod of a simulated node (pods/exec, node ',
    ],
    ['explain pods.none', 'field "none" does not exist'],
  ])('refused: %s', async (line, says) => {
    expect(await kubectl.refused(line)).toContain(says);
  });

  test('a watch shows what is there, then what changes', async () => {
    const watching = kubectl.run('get cm -l watched=yes -w --output-watch-events --no-headers --request-timeout=2s');
    await kubectl('create cm watched --from-literal=a=b');
    await kubectl('label cm watched watched=yes');
    await kubectl('delete cm watched');
    const { out } = await watching;
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['ADDED', 'watched'],
      ['DELETED', 'watched'],
    ]);
  });
});

describe.skipIf(without)('describe', () => {
  test.each<[string, readonly (RegExp | string)[]]>([
    [
      'ds fluentd',
      ['Desired Number of Nodes Scheduled: 3', /SuccessfulCreate .* daemonset-controller +Created pod: fluentd-/],
    ],
    [
      'deploy web',
      [
        '2 desired | 2 updated | 2 total | 2 available | 0 unavailable',
        'NewReplicaSetAvailable',
        /ScalingReplicaSet .*Scaled up replica set web-\w+ from 0 to 2/,
      ],
    ],
    ['rs', [/Controlled By: +Deployment\/web/, '2 current / 2 desired']],
    ['sts db', ['2 desired | 2 total', 'create Pod db-0 in StatefulSet db successful']],
    ['pod db-0', [/Node: +node-\d\//, /Scheduled[\s\S]*Pulled[\s\S]*Created[\s\S]*Started/, /QoS Class: +BestEffort/]],
    ['node node-1', ['KubeletReady', /Non-terminated Pods: +\(\d in total\)/, /HolderIdentity: +node-1/]],
    ['svc web', [/Endpoints: +10\.\d+\.\d+\.\d+:80,10\.\d+\.\d+\.\d+:80/]],
    // kubectl prints the keys in no order.
    ['cm conf', [/Data\n====\n/, /^a:\n----\n1$/m]],
    ['secret sec', [/password: +7 bytes/]],
    ['pvc data', [/Status: +(Pending|Bound)/]],
    ['hpa web', [/Reference: +Deployment\/web/]],
    ['ns default', [/Status: +Active/]],
    ['role reader', [/pods +\[\] +\[\] +\[get\]/]],
    ['ingress web', [/web\.example/]],
    ['quota few', [/Resource +Used +Hard/, /^pods +[1-9]\d* +100$/m]],
    ['sa default', [/Name: +default/]],
    ['priorityclass system-node-critical', [/Value: +2000001000/]],
  ])('%s', async (what, expected) => {
    const out = await kubectl(`describe ${what}`);
    for (const each of expected) {
      if (typeof each === 'string') expect(out).toContain(each);
      else expect(out).toMatch(each);
    }
  });
});

test.skipIf(without || (kubectlMinor ?? 0) < 28)('newer commands', async () => {
  expect(await kubectl('auth whoami -o jsonpath={.status.userInfo.groups}')).toContain('system:masters');
  expect(await kubectl('events --for pod/db-0')).toContain('Started container db');
  expect(await kubectl('get deploy web --subresource=scale')).toMatch(/^NAME +DESIRED +AVAILABLE +AGE\nweb +2 +2 /);
  expect(await kubectl('describe pdb web')).toMatch(/Min available: +1/);
  expect(await kubectl('describe cronjob tick')).toMatch(/Schedule: +0 0 1 1 \*/);
  expect(await kubectl('explain ds.spec -o plaintext-openapiv2')).toContain('minReadySeconds');
});
