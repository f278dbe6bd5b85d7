/** `deploy/` put into a cluster by kubectl and by Helm, and the operator as a process with the token of the account that is made there. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authorizer,
  type Cluster,
  createCluster,
  formatYaml,
  loadServingPki,
  rbac,
  type Serving,
  serveCluster,
  serviceAccount,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { createIdentityJudge, type IdentityJudge } from '@signalbox/cluster/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployed, objectsIn, rulesIn } from './deployed.ts';
import { chartManifest, scopeOf } from './files.ts';
import { findHelm } from './helm.ts';
import { end, type Installation, installationIn } from './installation.ts';
import { installations } from './installations.ts';

const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/chart');
const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
  readonly version: string;
};
const { signal } = new AbortController();
const operator = serviceAccount('signalbox', 'signalbox-operator');
const adapter = serviceAccount('signalbox', 'signalbox-adapter');
/** From the role that every cluster has. */
const trustedProxy = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };

let folder: string;
let cluster: Cluster;
let serving: Serving;
let judge: IdentityJudge;
let refused: string[];
let installation: Installation;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-deployed-'));
  judge = createIdentityJudge(rbac, [
    { user: operator, rules: rulesIn(deployed('operator.yaml')) },
    { user: adapter, rules: [...rulesIn(deployed('adapter.yaml')), trustedProxy] },
  ]);
  refused = [];
  const pki = await loadServingPki({});
  cluster = await createCluster({ nodes: 2, certificateAuthority: pki, authorizer: noting(judge) });
  serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  installation = installationIn(folder);
});
afterEach(async () => {
  await installation.close();
  await serving.close();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What either is refused. */
function noting(authorizer: Authorizer): Authorizer {
  return {
    ...authorizer,
    authorize(access, world) {
      const verdict = authorizer.authorize(access, world);
      if ([operator.name, adapter.name].includes(access.user.name) && !verdict.allowed)
        refused.push(JSON.stringify(access));
      return verdict;
    },
  };
}

test('kubectl applies it, and the operator with its token alone makes the quickstart available', async () => {
  await installation.kubectl('apply', '-f', 'deploy/chart/crds');
  await installation.kubectl('apply', '-f', 'deploy/operator.yaml');
  await installation.kubectl('apply', '--dry-run=server', '-f', 'deploy/operator.yaml', '-f', 'deploy/adapter.yaml');
  const started = await installation.startAsPod('operator');
  await installation.kubectl('apply', '-f', 'examples/quickstart');
  await installation.untilAvailable();
  expect(await end(started)).toBe(0);
  expect(refused).toEqual([]);
  expect([...judge.excess]).toEqual([]);
  expect(started.err()).not.toMatch(/forbidden|"level":"(?:warn|error)"/);
  // What is only used in the longer life of `roles.test.ts` is left here.
  expect(judge.unused(operator.name).filter((one) => /^(?:get|list|watch) /.test(one))).toEqual(
    expect.not.arrayContaining([
      'get customresourcedefinitions.apiextensions.k8s.io',
      'get leases.coordination.k8s.io',
    ]),
  );
});

test('the adapter with its token alone learns whose requests to answer, and reads', async () => {
  await installation.kubectl('apply', '-f', 'deploy/adapter.yaml');
  const { err, ended, child } = await installation.startAsPod('adapter');
  const isReading = (): boolean => !judge.unused(adapter.name).some((one) => /^(?:list|watch) /.test(one));
  while (!isReading() && child.exitCode === null) await sleep(systemClock, 50, { signal });
  expect(err()).toContain('serves the metrics of');
  expect(err()).not.toMatch(/forbidden|"level":"(?:warn|error)"/);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect([refused, ...judge.excess]).toEqual([[]]);
});

const helm = findHelm(process.env);

describe.skipIf(helm === undefined)('Helm', () => {
  const run = (...argv: readonly string[]): Promise<string> => installation.told(helm ?? '', ...argv);
  const write = (values: object): string => {
    const path = join(folder, 'values.yaml');
    writeFileSync(path, formatYaml(values));
    return path;
  };

  test.each(installations)('$name comes to what the same objects come to here', async ({ values }) => {
    const given = write(values);
    expect(await run('lint', '--strict', chart, '--values', given)).toContain('0 chart(s) failed');
    const at = ['--namespace', 'signalbox', '--values', given];
    const rendered = objectsIn(await run('template', 'signalbox', chart, ...at), 'helm');
    const expected = objectsIn(chartManifest(scopeOf({ version, values })), 'chart');
    const byName = (objects: typeof rendered): object =>
      Object.fromEntries(
        objects.map((object) => [`${object.kind} ${object.metadata.namespace}/${object.metadata.name}`, object]),
      );
    expect(byName(rendered)).toEqual(byName(expected));
    expect(rendered.length).toBe(expected.length);
  });

  test('installs and upgrades it; uninstalling leaves the definitions', async () => {
    const release = ['signalbox', chart, '--namespace', 'signalbox'];
    await run('install', ...release, '--create-namespace', '--wait', '--timeout', '60s');
    const started = await installation.startAsPod('operator');
    await installation.kubectl('apply', '-f', 'examples/quickstart');
    await installation.untilAvailable();
    expect(await end(started)).toBe(0);
    expect(refused).toEqual([]);
    await run('upgrade', ...release, '--set', 'adapter.enabled=true,replicas=3', '--wait', '--timeout', '60s');
    expect(await installation.kubectl('get', 'deployments', '-n', 'signalbox', '-o', 'name')).toContain(
      'signalbox-adapter',
    );
    await run('uninstall', 'signalbox', '--namespace', 'signalbox', '--wait');
    expect(await installation.kubectl('get', 'grafanaagents,prometheusagents', '-A', '-o', 'name')).toContain('edge');
  });
});
