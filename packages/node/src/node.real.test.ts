/** A whole node with a cluster beside it: pods from their creation to their end, as root and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { configmaps, events, pods, secrets, services } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everybody } from './testing/real-inside.ts';
import {
  isOver,
  isReady,
  isRunning,
  pause,
  type RealNode,
  realNode,
  restartsOf,
  shellContainer,
} from './testing/real-node.ts';

describe.each(everybody)('as %s', (who) => {
  let node: RealNode;
  beforeAll(async () => {
    node = await realNode(who, { images: [`example/node=${process.execPath}`] });
  });
  afterAll(() => node.end());

  const serves = (text: string) =>
    `require('http').createServer((q,s)=>s.end(${JSON.stringify(text)}+q.url)).listen(8080)`;
  const terminated = async (name: string) => {
    const { status } = await node.until(name, isOver);
    return status.containerStatuses?.[0]?.state?.terminated;
  };

  test('a pod finds a service by its name, and the API with its own token', async () => {
    await node.client.create(services, {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'default' } },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    } as never);
    const server = {
      ...{ name: 'app', image: 'example/node', command: [process.execPath, '-e', serves('hello ')] },
      readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
    };
    await node.create('web', { containers: [server] } as never, { labels: { app: 'web' } } as never);
    await node.until('web', isReady);
    const caller = `
      const fs = require('fs'), https = require('https'), http = require('http');
      const folder = '/var/run/secrets/kubernetes.io/serviceaccount/';
      http.get('http://web.default.svc.cluster.local/there', (r) => r.on('data', (d) => console.log(String(d))));
      const ask = (path) => https.get({ host: 'kubernetes.default.svc', path, ca: fs.readFileSync(folder + 'ca.crt'),
        headers: { authorization: 'Bearer ' + fs.readFileSync(folder + 'token') } }, (r) => { console.log(path, r.statusCode); r.resume(); });
      ask('/version'); ask('/api/v1/namespaces/default/secrets');
      setTimeout(() => {}, 1e8)`;
    const container = { name: 'app', image: 'example/node', command: [process.execPath, '-e', caller] };
    await node.create('caller', { containers: [container] });
    const pod = await node.until('caller', isRunning);
    const said = async () => node.log(pod).split('\n').toSorted().join('\n').trim();
    await expect
      .poll(said, { timeout: 10_000 })
      .toBe('/api/v1/namespaces/default/secrets 403\n/version 200\nhello /there');
  });

  test('files and variables are what they are made of, and files follow it within seconds', async () => {
    const metadata = (name: string) => ({ name, namespace: 'default' });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('settings'), data: { level: 'one' } };
    await node.client.create(configmaps, map as never);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: metadata('key'), stringData: { password: 'p1' } };
    await node.client.create(secrets, secret as never);
    const container = shellContainer('echo $LEVEL $PASSWORD $NAME $LIMIT; sleep 1000', {
      env: [
        { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'key', key: 'password' } } },
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
      ],
      resources: { limits: { memory: '64Mi' } },
      volumeMounts: ['settings', 'key', 'both', 'labels'].map((name) => ({ name, mountPath: `/${name}` })),
    } as never);
    const labels = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    const volumes = [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'key', secret: { secretName: 'key', defaultMode: 0o400 } },
      { name: 'both', projected: { sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'key' } }] } },
      { name: 'labels', downwardAPI: { items: labels } },
    ];
    await node.create('files', { containers: [container], volumes } as never, { labels: { color: 'red' } } as never);
    const pod = await node.until('files', isRunning);
    await expect.poll(() => node.log(pod)).toBe(`one p1 files ${64 << 20}\n`);
    const seen = async () => (await node.exec('files', 'cat /settings/level /key/password /both/* /labels/*')).stdout;
    expect(await seen()).toBe('onep1onep1color="red"');
    expect((await node.exec('files', 'stat -Lc %a /key/password; stat -fc %T /key')).stdout).toBe('400\ntmpfs\n');
    const merge = { namespace: 'default', patchType: 'merge' } as const;
    await node.client.patch(configmaps, { ...merge, name: 'settings', body: { data: { level: 'two' } } });
    await node.client.patch(secrets, { ...merge, name: 'key', body: { stringData: { password: 'p2' } } });
    await node.client.patch(pods, { ...merge, name: 'files', body: { metadata: { labels: { color: 'blue' } } } });
    await expect.poll(seen, { timeout: 5_000 }).toBe('twop2twop2color="blue"');
  });

  test('exit codes, reasons and last words', async () => {
    const spec = { restartPolicy: 'Never' } as const;
    await node.create('done', { ...spec, containers: [shellContainer('exit 0')] });
    await node.create('fails', { ...spec, containers: [shellContainer('echo bye > /dev/termination-log; exit 3')] });
    expect(await terminated('done')).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(await terminated('fails')).toMatchObject({ exitCode: 3, reason: 'Error', message: 'bye\n' });
    await node.create('late', {
      ...spec,
      activeDeadlineSeconds: 1,
      containers: [shellContainer('sleep 1000')],
    } as never);
    expect((await node.until('late', isOver)).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    if (who !== 'root') return;
    const eats = shellContainer('x=$(head -c 100000000 /dev/zero | tr "\\0" x)', {
      resources: { limits: { memory: '16Mi' } },
    });
    await node.create('eats', { ...spec, containers: [eats] });
    expect(await terminated('eats')).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('what runs before the others has ended or serves before they begin', async () => {
    const mount = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] };
    await node.create('ordered', {
      restartPolicy: 'Never',
      volumes: [{ name: 'shared', emptyDir: {} }],
      initContainers: [
        shellContainer('echo first > /shared/order', { name: 'first', ...mount }),
        shellContainer('echo side >> /shared/order; trap "echo side ends; exit 0" TERM; while :; do sleep 0.1; done', {
          ...{ name: 'side', restartPolicy: 'Always', ...mount },
          startupProbe: { exec: { command: ['grep', 'side', '/shared/order'] }, periodSeconds: 1 },
        } as never),
        shellContainer('echo second >> /shared/order', { name: 'second', ...mount }),
      ],
      containers: [shellContainer('cat /shared/order', mount)],
    } as never);
    const pod = await node.until('ordered', isOver);
    expect(pod.status.phase).toBe('Succeeded');
    expect(node.log(pod)).toBe('first\nside\nsecond\n');
    expect(node.log(pod, 'side')).toBe('side ends\n');
  });

  test('who is not alive is restarted; who is not ready is told', async () => {
    const script = 'rm -f /tmp/ill; trap "exit 7" TERM; touch /tmp/ready; while :; do sleep 0.1; done';
    const container = shellContainer(script, {
      livenessProbe: { exec: { command: ['test', '!', '-e', '/tmp/ill'] }, periodSeconds: 1, failureThreshold: 1 },
      readinessProbe: { exec: { command: ['test', '-e', '/tmp/ready'] }, periodSeconds: 1, failureThreshold: 1 },
    } as never);
    await node.create('probed', { containers: [container] });
    await node.until('probed', isReady);
    await node.exec('probed', 'rm /tmp/ready');
    await node.until('probed', (pod) => !isReady(pod));
    await node.exec('probed', 'touch /tmp/ready');
    await node.until('probed', isReady);
    await node.exec('probed', 'touch /tmp/ill');
    const pod = await node.until('probed', (each) => restartsOf(each) === 1 && isReady(each));
    expect(pod.status.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 7 });
    const { items } = await node.client.list(events, { namespace: 'default' });
    const reasons = items.filter((each) => each.involvedObject?.name === 'probed').map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['Unhealthy', 'Killing']));
  });

  test('hooks run after the start and before the end; the end has its time', async () => {
    const hooks = shellContainer('trap "echo asked; exit 0" TERM; while :; do sleep 0.1; done', {
      lifecycle: {
        postStart: { exec: { command: ['sh', '-c', 'echo begins > /proc/1/fd/1; echo begins > /tmp/begun'] } },
        preStop: { exec: { command: ['sh', '-c', 'echo leaves > /tmp/left; sleep 1; cat /tmp/left > /proc/1/fd/1'] } },
      },
    } as never);
    const pod = await node.create('hooks', { terminationGracePeriodSeconds: 10, containers: [hooks] });
    await node.until('hooks', isRunning);
    expect((await node.exec('hooks', 'cat /tmp/begun')).stdout).toBe('begins\n');
    await node.delete('hooks');
    await node.gone('hooks');
    expect(node.log(pod)).toContain('asked\n');
  });

  test('who ignores its end, children and all, is gone when its time is up', async () => {
    const script = 'trap "" TERM; (trap "" TERM; setsid sleep 4321) & while :; do sleep 0.1; done';
    await node.create('stubborn', { terminationGracePeriodSeconds: 2, containers: [shellContainer(script)] });
    await node.until('stubborn', isRunning);
    await pause(200);
    const sinceMs = performance.now();
    await node.delete('stubborn');
    await node.gone('stubborn');
    expect(performance.now() - sinceMs).toBeGreaterThan(1_900);
    expect(performance.now() - sinceMs).toBeLessThan(6_000);
    expect(() => execFileSync('pgrep', ['-f', '^sleep 4321'])).toThrow();
  });

  test('a folder that grows too large ends its pod', async () => {
    const fills = shellContainer('head -c 3000000 /dev/zero > /data/f; sleep 1000', {
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    });
    await node.create('full', {
      containers: [fills],
      volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }],
    } as never);
    const pod = await node.until('full', isOver, 60);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(pod.status.message).toContain('exceeds the limit');
  });

  test('nobody sees more than its own', async () => {
    const hostPath = { name: 'machine', hostPath: { path: '/etc' } };
    const container = shellContainer('sleep 1000', { volumeMounts: [{ name: 'machine', mountPath: '/machine' }] });
    await node.create('curious', { containers: [container], volumes: [hostPath] } as never);
    await node.until('curious', isRunning);
    await node.create('other', { containers: [shellContainer('sleep 7777')] });
    await node.until('other', isRunning);
    const said = await node.exec(
      'curious',
      `ls -A ${node.folder} ${node.clusterFolder} /machine /root /home 2>&1; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; find / -xdev -name '*.sock' 2>/dev/null; ls -a / /tmp /run /var/run 2>/dev/null`,
    );
    expect(said.stdout).not.toMatch(/shadow|passwd|inside\.sock|kubeconfig|sleep 7777/);
    // The machine's own namespace has nothing of it.
    const listening = execFileSync('ss', ['-Hltn'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.trim().split(/\s+/)[3] ?? '');
    expect(listening.filter((each) => each.endsWith(':8080') || each.startsWith('10.64.'))).toEqual([]);
    expect(execFileSync('ip', ['link'], { encoding: 'utf8' })).not.toContain('br0');
  });
});
