/**
 * An installation in the shape of kube-prometheus-stack: definitions by server-side apply, an operator's chart with its roles, its
 * custom resources, a webhook, and hook Jobs that make the webhook's certificate and tell the API server of it. By Helm, and by
 * kubectl alone.
 */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Kubectl,
  type ServedCluster,
  startServedCluster,
  withoutKubectl,
} from '../../packages/cluster/src/e2e/served-cluster.ts';
import { type HookServer, startHookServer } from '../../packages/cluster/src/testing/hook-server.ts';
import { findHelm } from '../deploy/helm.ts';
import { createPlayedHooks, type PlayedHooks } from './played-hooks.ts';

const without = withoutKubectl();
const helm = findHelm(process.env);
const definitions = join(import.meta.dirname, '../../deploy/chart/crds');

let served: ServedCluster;
let kubectl: Kubectl;
let hook: HookServer;
let hooks: PlayedHooks;
let chart: string;
let ending: AbortController;
let following: Promise<void>;

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object?: {
      readonly metadata: { readonly annotations?: object };
      readonly spec: { readonly groups?: readonly { readonly rules?: readonly { readonly expr?: string }[] }[] };
    };
  };
}

/** Marks every rule that it sees, and refuses those that say nothing. */
function answer(path: string, { request: { uid, object } }: Review): object {
  if (path.startsWith('/mutate')) {
    const value = { ...object?.metadata.annotations, 'lookout.example.com/seen': 'true' };
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/metadata/annotations', value }])).toString('base64');
    return { uid, allowed: true, patchType: 'JSONPatch', patch };
  }
  const empty = object?.spec.groups?.some(({ rules }) => rules?.some(({ expr = '' }) => expr.trim() === ''));
  return empty === true
    ? { uid, allowed: false, status: { code: 422, message: 'Rules are not valid' } }
    : { uid, allowed: true };
}

beforeEach(async () => {
  if (without) return;
  hook = await startHookServer({
    names: ['localhost', '127.0.0.1'],
    reply({ path, body }) {
      const { request, ...review } = JSON.parse(body) as Review;
      return { text: JSON.stringify({ ...review, response: answer(path, { request }) }) };
    },
  });
  served = await startServedCluster({ nodes: 1 });
  ({ kubectl } = served);
  chart = join(served.folder, 'chart');
  cpSync(join(import.meta.dirname, 'testdata/chart'), chart, { recursive: true });
  const webhooks = join(chart, 'templates/40-webhooks.yaml');
  writeFileSync(webhooks, readFileSync(webhooks, 'utf8').replaceAll('WEBHOOK', `https://127.0.0.1:${hook.port}`));
  hooks = createPlayedHooks({ served, certificate: { cert: hook.cert, ca: hook.ca } });
  ending = new AbortController();
  following = hooks.follow(ending);
  await kubectl(`apply --server-side -f ${definitions}`);
  await kubectl('wait --for=condition=Established --all crd --timeout=30s');
});

afterEach(async () => {
  ending?.abort();
  await following;
  await served?.close();
  await hook?.close();
});

async function runHelm(...argv: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: served.folder, KUBECONFIG: join(served.folder, 'kubeconfig') };
  const { stdout } = await promisify(execFile)(helm ?? '', [...argv, '--namespace', 'lookout'], { env });
  return stdout;
}

/** Of the numbered files of the chart those that begin so. */
function files(...numbers: readonly string[]): string {
  const folder = join(chart, 'templates');
  const chosen = readdirSync(folder).filter((name) => numbers.some((number) => name.startsWith(number)));
  return chosen.map((name) => `-f ${join(folder, name)}`).join(' ');
}

/** The operator serves, its webhook counts, and its resources are there as the webhook left them. */
async function expectInstalled(): Promise<void> {
  expect(hooks.problems).toEqual([]);
  await kubectl('rollout status deployment/lookout -n lookout --timeout=30s');
  for (const kind of ['mutating', 'validating']) {
    const path = "jsonpath='{.webhooks[0].failurePolicy} {.webhooks[0].clientConfig.caBundle}'";
    expect(await kubectl(`get ${kind}webhookconfiguration lookout -o ${path}`)).toBe(`Fail ${hook.caBundle}`);
  }
  expect(await kubectl('get servicemonitors -n lookout -o name')).toContain('/lookout');
  const account = 'system:serviceaccount:lookout:lookout';
  expect(await kubectl(`auth can-i update statefulsets.apps --as ${account}`)).toBe('yes');
  expect(await kubectl.refused(`get secrets -n lookout --as ${account}`)).toContain('forbidden');
  const rule = (name: string, expr: string): string =>
    served.write(
      `${name}.json`,
      JSON.stringify({
        ...{ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name, namespace: 'lookout' } },
        spec: { groups: [{ name, rules: [{ alert: 'A', expr }] }] },
      }),
    );
  await kubectl(`apply --server-side -f ${rule('good', 'up == 0')}`);
  expect(await kubectl('get prometheusrule good -n lookout -o yaml')).toContain('lookout.example.com/seen: "true"');
  expect(await kubectl.refused(`apply --server-side -f ${rule('bad', ' ')}`)).toContain(
    'admission webhook "rules.lookout.example.com" denied the request: Rules are not valid',
  );
  expect(served.problems).toEqual([]);
}

describe.skipIf(without || helm === undefined)('Helm', () => {
  test('installs it without its hooks where their work was done before', async () => {
    await kubectl('create namespace lookout');
    await kubectl(`apply --server-side ${files('10')}`);
    await hooks.work('create');
    await runHelm('install', 'lookout', chart, '--no-hooks', '--wait', '--timeout', '60s');
    await hooks.work('patch');
    await expectInstalled();
    await runHelm('uninstall', 'lookout', '--no-hooks', '--wait');
    expect(await kubectl('get deployments,services,servicemonitors -n lookout -o name')).toBe('');
    expect(await kubectl('get crd servicemonitors.monitoring.coreos.com -o name')).not.toBe('');
  });

  test('installs and upgrades it with its hooks, and leaves none of them', async () => {
    const release = ['lookout', chart, '--wait', '--timeout', '90s'];
    await runHelm('install', ...release, '--create-namespace');
    expect(hooks.done).toEqual(['create', 'patch']);
    await expectInstalled();
    await runHelm('upgrade', ...release);
    expect(hooks.done).toEqual(['create', 'patch', 'create', 'patch']);
    expect(await kubectl('get jobs -n lookout -o name')).toBe('');
    expect(await runHelm('list', '-o', 'json')).toContain('"revision":"2"');
    await expectInstalled();
  });
});

describe.skipIf(without)('kubectl', () => {
  const apply = (...numbers: readonly string[]): Promise<string> => kubectl(`apply --server-side ${files(...numbers)}`);
  const job = async (number: string, does: string): Promise<void> => {
    await apply(number);
    await kubectl(`wait --for=condition=complete job/lookout-admission-${does} -n lookout --timeout=60s`);
  };

  test('installs it in the order of the hooks', async () => {
    await kubectl('create namespace lookout');
    await apply('10');
    await job('20', 'create');
    await apply('30', '40');
    await job('50', 'patch');
    await apply('60');
    await expectInstalled();
    // Once more changes nothing.
    expect(await kubectl(`diff --server-side ${files('10', '30', '60')}`)).toBe('');
  });
});
