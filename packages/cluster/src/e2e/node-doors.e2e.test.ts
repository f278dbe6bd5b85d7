/** Streams and proxies of a node that somebody else runs go to its door; those of simulated nodes are refused. */
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { loadKubeconfig } from '../client/http/kubeconfig.ts';
import { createFakeKubelet, type FakeKubelet } from '../testing/fake-kubelet.ts';
import { type ServedCluster, startServedCluster, until } from './served-cluster.ts';

let served: ServedCluster;
let kubelet: FakeKubelet;

const inDefault = '/api/v1/namespaces/default';

beforeAll(async () => {
  [served, kubelet] = await Promise.all([startServedCluster({ nodes: 1 }), createFakeKubelet()]);
  await node('real', { 'signalbox.dev/driver': 'process', 'signalbox.dev/kubelet': kubelet.url });
  await node('gone', { 'signalbox.dev/driver': 'process', 'signalbox.dev/kubelet': 'https://127.0.0.1:1' });
  await node('sly', { 'signalbox.dev/driver': 'process', 'signalbox.dev/kubelet': 'https://192.0.2.1:443' });
  for (const [name, nodeName] of [
    ['web', 'real'],
    ['broken', 'real'],
    ['lost', 'gone'],
    ['lured', 'sly'],
    ['shown', 'node-1'],
  ] as const)
    await pod(name, nodeName);
});

afterAll(async () => {
  kubelet?.close();
  await served?.close();
});

async function node(name: string, annotations: object): Promise<void> {
  await made('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } });
}

async function pod(name: string, nodeName: string): Promise<void> {
  const containers = [{ name: 'main', image: 'web', ports: [{ containerPort: 8080 }] }];
  const metadata = { name, labels: { app: name } };
  await made(`${inDefault}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName, containers } });
}

async function made(path: string, body: object): Promise<void> {
  const answer = await served.ask(path, { method: 'POST', body });
  expect(answer.code, answer.text).toBe(201);
}

/** All that was heard until the other side closed. */
async function upgraded(target: string, says: string): Promise<string> {
  const { connection } = await loadKubeconfig({
    ...{ path: `${served.folder}/kubeconfig`, env: {}, clock: systemClock },
  });
  const { hostname, port } = new URL(connection.server);
  const { certificate } = await connection.credentials.get({ refused: false, signal: new AbortController().signal });
  const { ca } = connection.tls;
  const socket = connect({ host: hostname, port: Number(port), ...(ca !== undefined && { ca }), ...certificate });
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n${says}`,
  );
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.endsWith(says)) socket.end();
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

test('a stream goes to the door in the words of kubelets, and bytes go both ways', async () => {
  const heard = await upgraded(
    `${inDefault}/pods/web/exec?command=sh&command=-c&command=a%20b&stdin=true&stdout=true&tty=false`,
    'hello',
  );
  expect(heard).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*X-Spoken: v5\.channel\.k8s\.io\r\n\r\nhello$/);
  expect(kubelet.asked.at(-1)).toBe(
    'GET /exec/default/web/main?input=1&output=1&command=sh&command=-c&command=a+b kube-apiserver-kubelet-client',
  );
  await upgraded(`${inDefault}/pods/web/attach?container=main&stdout=true`, 'x');
  expect(kubelet.asked.at(-1)).toContain('/attach/default/web/main?output=1 ');
  await upgraded(`${inDefault}/pods/web/portforward`, 'x');
  expect(kubelet.asked.at(-1)).toContain('/portForward/default/web ');
});

test('a log is the one that the node has, never one that was made up', async () => {
  const log = await served.ask(`${inDefault}/pods/web/log?tailLines=2&timestamps=true&sinceTime=2026-01-01T00:00:00Z`);
  expect(log).toMatchObject({ code: 200, text: 'one\ntwo\n' });
  expect(kubelet.asked.at(-1)).toContain(
    '/containerLogs/default/web/main?timestamps=true&tailLines=2&sinceTime=2026-01-01T00%3A00%3A00Z',
  );
});

describe('proxies', () => {
  test('of a pod, with method, path, query and body', async () => {
    const answer = await served.ask(`${inDefault}/pods/http:web:9090/proxy/a%20b/c/?q=1%202`, {
      method: 'PUT',
      body: 'said',
      headers: { authorization: 'Bearer secret' },
    });
    expect(answer).toMatchObject({ code: 200, text: 'said' });
    expect(answer.headers).toMatchObject({ 'content-type': 'text/x-echo', 'x-credentials': 'undefined' });
    expect(kubelet.asked.at(-1)).toBe(
      'PUT /proxy/default/web/http/9090/a%20b/c/?q=1%202 kube-apiserver-kubelet-client',
    );
    await served.ask(`${inDefault}/pods/web/proxy`);
    expect(kubelet.asked.at(-1)).toContain('GET /proxy/default/web/http/8080/ ');
  });

  test('of a node', async () => {
    expect((await served.ask('/api/v1/nodes/real/proxy/stats/summary?only=cpu')).text).toBe('one\ntwo\n');
    expect(kubelet.asked.at(-1)).toContain('GET /stats/summary?only=cpu ');
  });

  test('of a service: one of its pods', async () => {
    const meta = { apiVersion: 'v1', metadata: { name: 'web' } };
    await made(`${inDefault}/services`, { ...meta, kind: 'Service', spec: { ports: [{ name: 'http', port: 80 }] } });
    const [proxy, empty] = [`${inDefault}/services/web:http/proxy/metrics`, `${inDefault}/services/web:9/proxy/`];
    expect(await served.ask(proxy)).toMatchObject({
      code: 503,
      body: { message: 'no endpoints available for service "web:http"' },
    });
    expect((await served.ask(empty)).body).toMatchObject({ message: 'no service port "9" found for service "web"' });
    await made('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
      metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      endpoints: [{ addresses: ['10.64.0.9'], nodeName: 'real', targetRef: { kind: 'Pod', name: 'web' } }],
      ports: [{ name: 'http', port: 9100 }],
    });
    const answer = await until(
      () => served.ask(proxy),
      ({ code }) => code === 200,
    );
    expect(answer.text).toBe('one\ntwo\n');
    expect(kubelet.asked.at(-1)).toContain('GET /proxy/default/web/http/9100/metrics ');
  });
});

describe('refusals', () => {
  test.each([
    ['a pod that is not there', '/pods/none/exec?command=ls', 404, 'pods "none" not found'],
    [
      'a simulated one',
      '/pods/shown/exec?command=ls',
      405,
      'this server cannot open a stream into a pod of a simulated node (pods/exec, node node-1), because nothing is executed there; what a container writes is in its log',
    ],
    ['another container', '/pods/web/exec?container=x', 400, 'container x is not valid for pod web'],
    [
      'a door where nobody is',
      '/pods/lost/exec?command=ls',
      500,
      'error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'a door that is not on this machine',
      '/pods/lured/exec?command=ls',
      500,
      'no preferred addresses found; known addresses: []',
    ],
  ])('%s', async (_, path, code, message) => {
    const heard = await upgraded(`${inDefault}${path}`, '');
    expect(heard).toContain(`HTTP/1.1 ${code} `);
    expect(heard).toContain(JSON.stringify(message));
  });

  test.each([
    ['a stream without an upgrade', '/pods/web/exec?command=ls', 400, 'Upgrade request required'],
    [
      'a simulated proxy',
      '/pods/shown/proxy/',
      405,
      expect.stringContaining('simulated node (pods/proxy, node node-1)'),
    ],
    ['a name that is none', '/pods/ftp:web:1/proxy/', 400, expect.stringContaining('invalid proxy request')],
    [
      'what the kubelet refuses',
      '/pods/broken/log',
      400,
      'container "main" in pod "broken" is waiting to start: ContainerCreating',
    ],
    ['a path below what is no proxy', '/pods/web/log/more', 404, 'the server could not find the requested resource'],
  ])('%s', async (_, path, code, message) => {
    expect(await served.ask(`${inDefault}${path}`)).toMatchObject({ code, body: { message } });
  });

  test('nobody unknown gets as far', async () => {
    const asked = kubelet.asked.length;
    expect(await served.ask('/api/v1/nodes/real/proxy/pods', { anonymous: true })).toMatchObject({ code: 401 });
    expect(kubelet.asked).toHaveLength(asked);
  });
});
