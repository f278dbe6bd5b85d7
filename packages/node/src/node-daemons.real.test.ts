/** Daemon pods and how others talk to them, what stands in for them, and a reader of logs: as root and as an ordinary user. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonsets, type Pod, pods, services } from '@signalbox/cluster';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { familyOf } from './testing/family.ts';
import { everybody } from './testing/real-inside.ts';
import { isReady, isRunning, type RealNode, realNode, restartsOf, shellContainer } from './testing/real-node.ts';

const node = 'box';
const place = { namespace: 'default' } as const;
const poll = { timeout: 20_000, interval: 200 };

// Both at once: most of the time is waiting.
describe.concurrent.each(everybody)('as %s', (who) => {
  let real: RealNode;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-daemons-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'fluentd'), `#!${process.execPath}\n${tailsLogs}`, { mode: 0o755 });
    const images = [`example/node=${process.execPath}`, `fluentd_elasticsearch/fluentd=${join(folder, 'fluentd')}`];
    // Two simulated nodes answer beside the real one.
    real = await realNode(who, { images, staticPods: folder, simulated: 2 });
    await makeService('stats', { selector: { app: 'stats' }, ports: [{ port: 80, targetPort: 8080 }] });
    await real.create('stats', { nodeName: node, containers: [program(takesPushes)] }, labelled('stats'));
    await real.create('client', { nodeName: node, containers: [program('setInterval(()=>{},1e8)', hostIp)] });
  });
  afterAll(async () => {
    await real.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const makeService = (name: string, spec: object) =>
    real.client.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { ...place, name }, spec } as never);
  const makeDaemons = (name: string, spec: Pod['spec'], ways: object = {}) =>
    real.client.create(daemonsets, {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { ...place, name } },
      spec: { selector: { matchLabels: { app: name } }, template: { metadata: labelled(name), spec }, ...ways },
    } as never);
  const podsOf = async (app: string): Promise<readonly Pod[]> =>
    (await real.client.list(pods, { ...place, labelSelector: `app=${app}` })).items;
  /** The one on the real node. */
  const daemonOf = async (app: string): Promise<Pod | undefined> =>
    (await podsOf(app)).find(
      ({ spec, metadata }) => spec.nodeName === node && metadata.deletionTimestamp === undefined,
    );
  const daemonReady = (app: string, before?: Pod): Promise<Pod> =>
    vi.waitFor(async () => {
      const pod = await daemonOf(app);
      if (pod !== undefined && pod.metadata.uid !== before?.metadata.uid && isReady(pod)) return pod;
      throw new Error(`the daemon is ${JSON.stringify(pod?.status)}: ${real.said.join('')}`);
    }, poll);
  const pushed = async (): Promise<readonly string[]> =>
    real
      .log(await real.get('stats'))
      .trim()
      .split('\n');

  test.sequential('daemon pods push, and are reached by node, by name and by service; so is who takes their place', async ({
    expect,
  }) => {
    const port = { ports: [{ name: 'http', port: 80, targetPort: 8080 }], selector: { app: 'daemon' } };
    await makeService('daemons', { ...port, clusterIP: 'None' });
    await makeService('daemon', port);
    await makeService('daemon-here', { ...port, internalTrafficPolicy: 'Local' });
    const container = {
      ...program(pushesAndAnswers, nodeName),
      ports: [{ containerPort: 8080, hostPort: 9100 }],
      readinessProbe: { httpGet: { path: '/-/ready', port: 8080 }, periodSeconds: 1 },
    };
    await makeDaemons('daemon', { terminationGracePeriodSeconds: 1, containers: [container] } as never);
    await real.until('client', isRunning);

    const first = await daemonReady('daemon');
    for (let current = first; ; current = await daemonReady('daemon', first)) {
      await expect.poll(async () => (await podsOf('daemon')).filter(isReady).length, poll).toBe(3);
      const all = await podsOf('daemon');
      const own = `${current.metadata.name} on ${node}`;
      const answers = all.map(({ metadata: { name, uid } }) =>
        uid === current.metadata.uid ? own : `simulated pod default/${name}`,
      );
      const asked = async () =>
        JSON.parse((await real.exec('client', `${process.execPath} -e '${asksInFourWays}'`)).stdout);
      await expect.poll(asked, poll).toEqual({
        node: own,
        addresses: all.map(({ status }) => String(status.podIP)).toSorted(),
        each: answers.toSorted(),
        any: answers.toSorted(),
        here: [own],
      });
      await expect.poll(pushed, poll).toContain(own);
      if (current !== first) break;
      await real.delete(first.metadata.name);
    }
  });

  test.sequential('a log daemon reads what other pods print, and what is printed after that, and says whose it is', async ({
    expect,
  }) => {
    await real.create('speaks', { nodeName: node, containers: [shellContainer(speaks)] });
    await real.until('speaks', isRunning);
    const container = {
      ...{ name: 'fluentd-elasticsearch', image: 'quay.io/fluentd_elasticsearch/fluentd:v2.5.2' },
      volumeMounts: [{ name: 'varlog', mountPath: '/var/log' }],
      resources: { limits: { memory: '200Mi' }, requests: { cpu: '100m', memory: '200Mi' } },
    };
    const volumes = [{ name: 'varlog', hostPath: { path: '/var/log' } }];
    await makeDaemons('fluentd', { terminationGracePeriodSeconds: 1, containers: [container], volumes } as never);
    await daemonReady('fluentd');
    await real.exec('speaks', 'touch /tmp/more');
    const ofSpeaker = async () =>
      (await pushed()).filter((line) => line.startsWith('log of speaks_default_app')).toSorted();
    const said = ['stderr before', 'stdout after', 'stdout before'].map((line) => `log of speaks_default_app: ${line}`);
    await expect.poll(ofSpeaker, poll).toEqual(said);
  });

  test.sequential('a static pod is its file: nobody ends it by the API, and its agent finds it again', async ({
    expect,
  }) => {
    const file = join(folder, 'static.yaml');
    const write = (text: string) => writeFileSync(file, manifest(`trap "exit 0" TERM; ${text}; ${waits}`));
    write('echo first');
    const mirrored = async (): Promise<Pod | undefined> => real.get('static-box').catch(() => undefined);
    await expect.poll(mirrored, poll).toBeDefined();
    const mirror = await real.until('static-box', isRunning);
    expect(mirror.metadata.annotations?.['kubernetes.io/config.source']).toBe('file');
    expect(mirror.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: node }]);
    const runOf = ({ status }: Pod) => [status.containerStatuses?.[0]?.containerID, status.podIP];

    const isThere = async () => {
      const pod = await mirrored();
      return pod !== undefined && pod.metadata.uid !== last.metadata.uid && isRunning(pod);
    };
    let last = mirror;
    const again = async (): Promise<void> => {
      await expect.poll(isThere, poll).toBe(true);
      last = await real.get('static-box');
      expect(runOf(last)).toEqual(runOf(mirror));
      expect(restartsOf(last)).toBe(0);
    };
    await real.delete('static-box');
    await again();
    await real.restart('SIGKILL', () => real.delete('static-box', 0));
    await again();
    const [hash = ''] = ['kubernetes.io/config.mirror'].map((name) => mirror.metadata.annotations?.[name]);
    const log = (run: string) => real.log({ ...mirror, metadata: { ...mirror.metadata, uid: run } });
    expect(log(hash)).toBe('first\n');

    write('echo second');
    const isOther = (pod: Pod | undefined) => pod !== undefined && isRunning(pod) && runOf(pod)[0] !== runOf(mirror)[0];
    await expect.poll(async () => isOther(await mirrored()), poll).toBe(true);
    rmSync(file);
    await real.gone('static-box');
    const running = async () => (await real.inside().state()).pods.map(({ name }) => name);
    await expect.poll(running, poll).not.toContain('static-box');
  });

  test.sequential('a bare pod is nobody’s: it is not replaced, and stays when daemons go; daemons that are left are adopted', async ({
    expect,
  }) => {
    const spec = { terminationGracePeriodSeconds: 1, containers: [shellContainer(`trap "exit 3" TERM; ${waits}`)] };
    for (const name of ['bare', 'bare-too']) await real.create(name, { ...spec, nodeName: node });
    await makeDaemons('kept', spec as never);
    const first = await daemonReady('kept');
    const bare = await real.until('bare', isRunning);
    // The scheduler had nothing to do with it, so its node says so.
    const scheduled = bare.status.conditions?.find(({ type }) => type === 'PodScheduled');
    expect(scheduled).toMatchObject({ status: 'True', observedGeneration: 1 });
    await real.exec('bare', 'kill 1');
    await real.until('bare', (pod) => restartsOf(pod) === 1 && isRunning(pod));

    await real.delete('bare-too');
    await real.delete(first.metadata.name);
    const second = await daemonReady('kept', first);
    await real.gone('bare-too');

    const remove = (propagationPolicy: 'Orphan' | 'Background') =>
      real.client.delete(daemonsets, { ...place, name: 'kept', propagationPolicy } as never);
    await remove('Orphan');
    const ownersOf = async () => (await daemonOf('kept'))?.metadata.ownerReferences ?? [];
    await expect.poll(ownersOf, poll).toEqual([]);
    const { metadata } = await makeDaemons('kept', spec as never);
    await expect.poll(ownersOf, poll).toMatchObject([{ kind: 'DaemonSet', uid: metadata.uid }]);
    const adopted = await daemonReady('kept');
    expect(adopted.status.containerStatuses).toEqual(second.status.containerStatuses);
    await remove('Background');
    await real.gone(adopted.metadata.name);
    expect(restartsOf(await real.until('bare', isRunning))).toBe(1);
    expect(familyOf(real.folder).length).toBeGreaterThan(0);
    expect(real.said).toEqual([]);
  });
});

const labelled = (app: string) => ({ labels: { app } }) as never;
const fromField = (name: string, fieldPath: string) => ({ env: [{ name, valueFrom: { fieldRef: { fieldPath } } }] });
const nodeName = fromField('NODE', 'spec.nodeName');
const hostIp = fromField('NODE_IP', 'status.hostIP');
const waits = 'while :; do sleep 0.1; done';
const speaks = `echo before; echo before >&2; while [ ! -e /tmp/more ]; do sleep 0.1; done; echo after; ${waits}`;

function program(text: string, parts: object = {}): Pod['spec']['containers'][number] {
  return { name: 'app', image: 'example/node', command: [process.execPath, '-e', text], ...parts };
}

const manifest = (script: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'static', namespace: 'default' } },
    spec: { terminationGracePeriodSeconds: 1, containers: [shellContainer(script)] },
  });

const push = `const push = (line) => http.request({ host: 'stats', method: 'POST' }).on('error', () => {}).end(line);`;

/** Prints what it is sent. */
const takesPushes = `require('http').createServer((q, s) => { let text = '';
  q.on('data', (d) => text += d).on('end', () => { console.log(text); s.end(); }) }).listen(8080)`;

const pushesAndAnswers = `const http = require('http'), own = require('os').hostname() + ' on ' + process.env.NODE; ${push}
  http.createServer((q, s) => s.end(own)).listen(8080);
  setInterval(() => push(own), 500)`;

/** No quotes but double ones: a shell passes it on. */
const asksInFourWays = `
  const http = require("http"), many = Array.from({ length: 40 });
  const get = (host, port = 80) => new Promise((resolve) => {
    const sent = http.get({ host, port, path: "/-/ready", agent: false, timeout: 2000 }, (answer) => {
      let text = ""; answer.on("data", (d) => text += d).on("end", () => resolve(text.trim())) });
    sent.on("error", ({ code }) => resolve(code)).on("timeout", () => sent.destroy()) });
  const set = async (answers) => [...new Set(await Promise.all(answers))].sort();
  require("dns").promises.resolve4("daemons.default.svc.cluster.local").then(async (addresses) => console.log(JSON.stringify({
    node: await get(process.env.NODE_IP, 9100), addresses: addresses.sort(), each: await set(addresses.map((a) => get(a, 8080))),
    any: await set(many.map(() => get("daemon"))), here: await set(many.map(() => get("daemon-here"))) })))`;

/** As a log agent does: follows all files, takes their names and the format of their lines apart, and sends on what is new. */
const tailsLogs = `const fs = require('fs'), http = require('http'), read = new Map(); ${push}
const folder = '/var/log/containers';
setInterval(() => {
  for (const name of fs.readdirSync(folder)) {
    const text = fs.readFileSync(folder + '/' + name, 'utf8').slice(read.get(name) ?? 0);
    const whole = text.slice(0, text.lastIndexOf('\\n') + 1);
    read.set(name, (read.get(name) ?? 0) + whole.length);
    const of = name.replace(/-[0-9a-f]{64}\\.log$/, '');
    if (of.startsWith('speaks_'))
      for (const line of whole.split('\\n').slice(0, -1)) {
        const [, stream, message] = /^\\S+ (stdout|stderr) F (.*)$/.exec(line);
        push('log of ' + of + ': ' + stream + ' ' + message);
      }
  }
}, 200);
process.on('SIGTERM', () => process.exit(0));
`;
