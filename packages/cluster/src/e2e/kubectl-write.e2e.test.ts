import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kitchenSink } from './manifests.ts';
import {
  type Kubectl,
  kubectlMinor,
  type ServedCluster,
  startServedCluster,
  until,
  withoutKubectl,
} from './served-cluster.ts';

const without = withoutKubectl();
const minor = kubectlMinor ?? 0;
let served: ServedCluster;
let kubectl: Kubectl;

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

const images = (what: string): Promise<string> =>
  kubectl(`get ${what} -o jsonpath='{.spec.template.spec.containers[*].image}'`);

describe.skipIf(without)('create', () => {
  beforeAll(async () => {
    if (!without) await kubectl('create ns made');
  });

  test.each<[string, string, number?]>([
    ['deployment d --image=nginx --replicas=2 --port=80', 'deployment.apps/d created'],
    ['configmap c --from-literal=a=b', 'configmap/c created'],
    ['secret generic s --from-literal=p=q', 'secret/s created'],
    ['secret docker-registry r --docker-username=a --docker-password=b', 'secret/r created'],
    ['service clusterip sv --tcp=80:8080', 'service/sv created'],
    ['service nodeport np --tcp=80:8080', 'service/np created'],
    ['service externalname en --external-name=a.b', 'service/en created'],
    ['sa robot', 'serviceaccount/robot created'],
    ['role r --verb=get,list --resource=pods,deployments.apps', 'role.rbac.authorization.k8s.io/r created'],
    ['rolebinding rb --role=r --serviceaccount=made:robot', 'rolebinding.rbac.authorization.k8s.io/rb created'],
    ['clusterrole cr --verb=get --resource=nodes', 'clusterrole.rbac.authorization.k8s.io/cr created'],
    ['clusterrolebinding crb --clusterrole=cr --user=bob', 'clusterrolebinding.rbac.authorization.k8s.io/crb created'],
    ['quota q --hard=pods=10', 'resourcequota/q created'],
    ['priorityclass pc --value=1000', 'priorityclass.scheduling.k8s.io/pc created'],
    ['ingress i --rule=a.b/c=sv:80', 'ingress.networking.k8s.io/i created'],
    ['job j --image=busybox -- true', 'job.batch/j created'],
    // Older releases write versions of these kinds that upstream serves no longer either.
    ['pdb p --selector=app=d --min-available=1', 'poddisruptionbudget.policy/p created', 21],
    ["cronjob cj --image=busybox --schedule='* * * * *' -- true", 'cronjob.batch/cj created', 21],
  ])('%s', async (what, says, since = 0) => {
    if (minor < since) return;
    expect(await kubectl(`create ${what} -n made`)).toBe(says);
  });

  test('run and expose', async () => {
    expect(await kubectl('run p --image=nginx -n made --labels=run=p')).toBe('pod/p created');
    expect(await kubectl('expose pod p --port=80 -n made')).toBe('service/p exposed');
    await kubectl('wait --for=condition=Ready pod/p -n made --timeout=10s');
  });

  test('what exists is refused; a broken name too, with its field', async () => {
    expect(await kubectl.refused('create cm conf')).toContain('configmaps "conf" already exists');
    const said = await kubectl.refused('create deployment Bad_Name --image=nginx');
    expect(said).toContain('metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of');
  });

  test('nothing comes of a dry run', async () => {
    expect(await kubectl('create cm dry --dry-run=server')).toBe('configmap/dry created (server dry run)');
    expect(await kubectl.refused('get cm dry')).toContain('not found');
  });

  test('a name may be left to the server', async () => {
    const stdin = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: some-}\n';
    expect(await kubectl('create -f - -o name', { stdin })).toMatch(/^configmap\/some-[0-9a-z]{5}$/);
  });
});

describe.skipIf(without)('apply', () => {
  const map = (data: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: ${data}\n`;

  test('twice is once; a field that is left out goes', async () => {
    expect(await kubectl('apply -f -', { stdin: map('{a: "1", b: "2"}') })).toBe('configmap/applied created');
    expect(await kubectl('apply -f -', { stdin: map('{a: "1", b: "2"}') })).toBe('configmap/applied unchanged');
    const dry = await kubectl('apply -f - --dry-run=server', { stdin: map('{a: "9"}') });
    expect(dry).toBe('configmap/applied configured (server dry run)');
    expect(await kubectl('apply -f -', { stdin: map('{a: "3"}') })).toBe('configmap/applied configured');
    expect(await kubectl('get cm applied -o jsonpath={.data}')).toBe('{"a":"3"}');
    const { code, out } = await kubectl.run('diff -f -', { stdin: map('{a: "4"}') });
    expect(code).toBe(1);
    expect(out).toContain('-  a: "3"\n+  a: "4"');
  });

  test('everything again changes nothing', async () => {
    const lines = (await kubectl('apply -f -', { stdin: kitchenSink })).split('\n');
    // Of these kubectl always sends something: stringData is not stored, a budget's selector is replaced whole, and older
    // releases do not know this version of CronJob.
    const always = ['secret/sec configured', 'poddisruptionbudget.policy/web configured'];
    if (minor < 21) always.push('cronjob.batch/tick configured');
    expect(lines.filter((line) => !line.endsWith(' unchanged') && !always.includes(line))).toEqual([]);
  });

  test('with kustomize', async () => {
    served.write('kustomization.yaml', 'namePrefix: k-\nresources: [cm.yaml]\n');
    served.write('cm.yaml', map('{a: "1"}'));
    expect(await kubectl(`apply -k ${served.folder}`)).toBe('configmap/k-applied created');
  });

  test.each<[string, string, RegExp]>([
    ['an unknown field', map('{}').replace('\ndata:', '\ndaata:'), /unknown field "daata"/],
    ['a broken text', 'a: [', /error parsing|error converting/],
    [
      'an unknown kind',
      'apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n',
      /no matches for kind "Thing" in version "v1"/,
    ],
  ])('%s is refused', async (_, stdin, says) => {
    expect(await kubectl.refused('apply -f -', { stdin })).toMatch(says);
  });

  test('every mistake of an object is named', async () => {
    const stdin = kitchenSink.split('---')[0]?.replace('labels: {name: fluentd}', 'labels: {name: x}') ?? '';
    const said = await kubectl.refused('apply -f -', {
      stdin: stdin
        .replace('name: fluentd, ', 'name: bad, ')
        .replace('      containers', '      restartPolicy: Never\n      containers'),
    });
    expect(said).toContain('* spec.template.metadata.labels: Invalid value');
    expect(said).toContain(
      '* spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    );
  });
});

describe.skipIf(without)('change', () => {
  test('edit', async () => {
    await kubectl('create cm edited --from-literal=a=old');
    const script = served.write('editor.sh', '#!/bin/sh\nsed -i s/old/new/ "$1"\n');
    expect(await kubectl('edit cm edited', { env: { KUBE_EDITOR: `sh ${script}` } })).toBe('configmap/edited edited');
    expect(await kubectl('get cm edited -o jsonpath={.data.a}')).toBe('new');
    const bad = served.write('bad.sh', '#!/bin/sh\nsed -i "s/replicas: 2/replicas: -1/" "$1"\n');
    const said = await kubectl.refused('edit deploy web', { env: { KUBE_EDITOR: `sh ${bad}` } });
    expect(said).toContain('deployments.apps "web" is invalid');
    expect(await kubectl('get deploy web -o jsonpath={.spec.replicas}')).toBe('2');
  });

  test('replace', async () => {
    await kubectl('create cm replaced --from-literal=a=b');
    const now = await kubectl('get cm replaced -o yaml');
    expect(await kubectl('replace -f -', { stdin: now.replace('a: b', 'a: c') })).toBe('configmap/replaced replaced');
    const stale = await kubectl.refused('replace -f -', { stdin: now });
    expect(stale).toContain(
      'the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(await kubectl('get cm replaced -o jsonpath={.data.a}')).toBe('c');
  });

  test('patch', async () => {
    await kubectl('create cm patched --from-literal=a=b');
    const operations = '[{"op":"add","path":"/data/x","value":"y"}]';
    expect(await kubectl(`patch cm patched --type=json -p '${operations}'`)).toBe('configmap/patched patched');
    expect(await kubectl(`patch cm patched --type=merge -p '{"data":{"a":null}}'`)).toBe('configmap/patched patched');
    expect(await kubectl(`patch cm patched --type=merge -p '{"data":{"a":null}}'`)).toContain('(no change)');
    expect(await kubectl('get cm patched -o jsonpath={.data}')).toBe('{"x":"y"}');
    await kubectl(
      `patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:2"}]}}}}'`,
    );
    expect(await images('deploy web')).toBe('nginx:1 busybox:2');
  });

  test('label and annotate', async () => {
    await kubectl('create cm labelled');
    expect(await kubectl('label cm labelled a=1')).toBe('configmap/labelled labeled');
    expect(await kubectl.refused('label cm labelled a=2')).toContain(
      `'a' already has a value (1), and --overwrite is false`,
    );
    await kubectl('label cm labelled a=2 --overwrite');
    expect(await kubectl('get cm -l a=2 -o name')).toBe('configmap/labelled');
    await kubectl('label cm labelled a-');
    expect(await kubectl('annotate cm labelled a=b')).toMatch(/annotated$/);
    expect(await kubectl.refused('label cm labelled a/b/c=x')).toMatch(/a\/b\/c/);
  });
});

describe.skipIf(without)('workloads', () => {
  test('scale: a Deployment, a StatefulSet, only from a size', async () => {
    expect(await kubectl('scale deploy web --replicas=3')).toBe('deployment.apps/web scaled');
    expect(await kubectl('scale sts db --replicas=3')).toBe('statefulset.apps/db scaled');
    await Promise.all(['deploy/web', 'sts/db'].map((set) => kubectl(`rollout status ${set} --timeout=20s`)));
    expect(await kubectl.refused('scale sts db --replicas=9 --current-replicas=2')).toMatch(
      /xpected replicas to be 2, was 3/,
    );
    expect(await kubectl('get sts db -o jsonpath={.status.readyReplicas}')).toBe('3');
    await kubectl('scale sts db --replicas=2');
    expect(
      await until(
        () => kubectl('get pods -l app=db -o name'),
        (names) => names.split('\n').length === 2,
      ),
    ).toBe('pod/db-0\npod/db-1');
  });

  test('autoscale', async () => {
    await kubectl('create deployment sized --image=a');
    expect(await kubectl('autoscale deploy sized --min=1 --max=5 --cpu-percent=80')).toBe(
      'horizontalpodautoscaler.autoscaling/sized autoscaled',
    );
    expect(await kubectl('get hpa sized --no-headers')).toMatch(/^sized +Deployment\/sized +(cpu: )?\S+\/80% +1 +5 /);
  });

  test.concurrent.each([
    ['ds/fluentd', 'fluentd', 'fluentd:v5', 'name=fluentd'],
    ['sts/db', 'db', 'postgres:16', 'app=db'],
    ['deploy/web', 'web', 'nginx:1', 'app=web'],
  ])('%s: set image, rollout status, history, undo, restart', async (target, container, first, label) => {
    const rolledOut = (): Promise<string> => kubectl(`rollout status ${target} --timeout=20s`);
    // A rollout is over before the last old pod has ended.
    const runsOnly = (image: string): Promise<string> =>
      until(
        () => kubectl(`get pods -l ${label} -o jsonpath='{.items[*].spec.containers[0].image}'`),
        (seen) => seen.split(' ').every((each) => each === image),
      );
    await rolledOut();
    expect(await kubectl(`set image ${target} ${container}=changed:2`)).toMatch(/image updated$/);
    expect(await rolledOut()).toMatch(
      /successfully rolled out$|roll out complete: \d new pods have been updated\.\.\.$/,
    );
    await runsOnly('changed:2');
    const history = await kubectl(`rollout history ${target}`);
    expect(history.split('\n').filter((line) => /^\d+ /.test(line)).length).toBeGreaterThanOrEqual(2);
    expect(await kubectl(`rollout undo ${target}`)).toMatch(/rolled back$/);
    await rolledOut();
    await runsOnly(first);
    expect(await kubectl.refused(`rollout undo ${target} --to-revision=99`)).toContain('unable to find');
    expect(await kubectl(`rollout restart ${target}`)).toMatch(/restarted$/);
    await rolledOut();
  });

  test('set env and resources, pause and resume', async () => {
    expect(await kubectl('rollout pause deploy/web')).toMatch(/paused$/);
    expect(await kubectl('set env deploy/web -c web COLOR=red')).toMatch(/env updated$/);
    expect(await kubectl('set resources deploy/web -c web --limits=cpu=200m')).toMatch(
      /resource requirements updated$/,
    );
    expect(await kubectl('rollout resume deploy/web')).toMatch(/resumed$/);
    await kubectl('rollout status deploy/web --timeout=20s');
    await until(
      () => kubectl("get pods -l app=web -o jsonpath='{.items[*].spec.containers[0].env[*].name}'"),
      (names) => names.includes('COLOR'),
    );
  });
});

describe.skipIf(without)('delete and wait', () => {
  test('one, by label, all, what is not there', async () => {
    await kubectl('create ns leaving');
    await Promise.all(['a', 'b', 'c'].map((name) => kubectl(`create cm ${name} -n leaving`)));
    await kubectl('label cm a -n leaving app=x');
    expect(await kubectl('delete cm -n leaving -l app=x')).toMatch(/^configmap "a" deleted/);
    expect(await kubectl.refused('delete cm a -n leaving')).toContain('configmaps "a" not found');
    await kubectl('delete cm a -n leaving --ignore-not-found');
    await kubectl('delete cm -n leaving --all');
    expect(await kubectl('get cm -n leaving -o name')).not.toMatch(/configmap\/[bc]/);
    await kubectl('run p -n leaving --image=a');
    await kubectl('delete ns leaving --timeout=20s');
    expect(await kubectl.refused('get ns leaving')).toContain('not found');
    expect(await kubectl.refused('create cm x -n leaving')).toContain('namespaces "leaving" not found');
  });

  test('orphans stay and are adopted without a restart', async () => {
    const manifest = (kitchenSink.split('---')[0] ?? '').replaceAll('fluentd', 'adopted');
    const uids = (): Promise<string> =>
      kubectl("get pods -l name=adopted --sort-by=.metadata.uid -o jsonpath='{.items[*].metadata.uid}'");
    await kubectl('apply -f -', { stdin: manifest });
    await kubectl('rollout status ds/adopted --timeout=20s');
    const before = await uids();
    await kubectl('delete ds adopted --cascade=orphan --timeout=10s');
    expect(await kubectl("get pods -l name=adopted -o jsonpath='{.items[*].metadata.ownerReferences}'")).toBe('');
    await kubectl('apply -f -', { stdin: manifest });
    await kubectl('rollout status ds/adopted --timeout=20s');
    await until(
      () => kubectl("get pods -l name=adopted -o jsonpath='{.items[*].metadata.ownerReferences[*].kind}'"),
      (kinds) => kinds === 'DaemonSet DaemonSet DaemonSet',
    );
    expect(await uids()).toBe(before);
    const restarts = await kubectl(
      `get pods -l name=adopted -o jsonpath='{.items[*].status.containerStatuses[*].restartCount}'`,
    );
    expect(restarts).toBe('0 0 0');
  });

  test('foreground waits for the pods, background does not', async () => {
    await kubectl('create deployment front --image=a');
    await kubectl('create deployment back --image=a');
    await Promise.all(['front', 'back'].map((name) => kubectl(`rollout status deploy/${name} --timeout=10s`)));
    await kubectl(`patch deploy front -p '{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":0}}}}'`);
    await kubectl('rollout status deploy/front --timeout=10s');
    await kubectl('delete deploy front --cascade=foreground --timeout=40s');
    expect(await kubectl('get rs -l app=front -o name')).toBe('');
    await kubectl('delete deploy back --cascade=background --timeout=10s');
    await until(
      () => kubectl('get rs -l app=back -o name'),
      (names) => names === '',
    );
  }, 60_000);

  test('pods: at once, soon, and waiting for it', async () => {
    const uid = await kubectl('get pod db-0 -o jsonpath={.metadata.uid}');
    expect(await kubectl('delete pod db-0 --force --grace-period=0')).toMatch(/pod "db-0" force deleted/);
    await until(
      () => kubectl.run('get pod db-0 -o jsonpath={.metadata.uid}'),
      ({ out }) => out !== '' && out !== uid,
    );
    expect(await kubectl('wait --for=condition=Ready pod/db-0 --timeout=10s')).toBe('pod/db-0 condition met');
    const [waited] = await Promise.all([
      kubectl('wait --for=delete pod/p -n made --timeout=20s'),
      kubectl('delete pod p -n made --now'),
    ]);
    expect(waited).toMatch(/^(pod\/p condition met)?$/);
    expect(await kubectl.refused('wait --for=condition=Never pod/db-0 --timeout=100ms')).toContain('timed out waiting');
    if (minor >= 23) await kubectl(`wait --for=jsonpath='{.status.phase}'=Running pod/db-0 --timeout=10s`);
  });
});

test.skipIf(without)('what is unknown or stands twice is refused by its name and its line', async () => {
  const stdin = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice}\ndata:\n  a: x\n  a: z\nfoo: 1\n';
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'twice' }, foo: 1 };
  if (minor >= 25)
    expect(await kubectl.refused('create --validate=strict -f -', { stdin: JSON.stringify(body) })).toContain(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"',
    );
  const answer = await served.ask('/api/v1/namespaces/default/configmaps?fieldValidation=Strict', {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: stdin,
  });
  expect(answer.text).toContain('line 6: key \\"a\\" already set in map, unknown field \\"foo\\"');
});

test.skipIf(without)('the Service of the API leads to the port that is listened on', async () => {
  expect(await kubectl("get service kubernetes -o jsonpath='{.spec.ports[0].targetPort}'")).toBe(
    new URL(served.url).port,
  );
});

test.skipIf(without)('pods of a StatefulSet say where other names would come from', async () => {
  expect(await kubectl("get pod db-0 -o jsonpath='{.metadata.generateName}'")).toBe('db-');
});
