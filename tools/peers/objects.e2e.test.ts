/** `deploy/` and the quick start on upstream's control plane, and what comes of them there compared with what comes of them here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, loadServingPki, serveCluster, serviceAccount, sleep, systemClock } from '@signalbox/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployed, rulesIn } from '../deploy/deployed.ts';
import { findHelm } from '../deploy/helm.ts';
import { end, type Installation, installationIn } from '../deploy/installation.ts';
import { type Alike, alike, told } from './compare/alike.ts';
import { differencesOf, unexplained } from './compare/differences.ts';
import { everythingOn } from './compare/everything.ts';
import { known } from './compare/known.ts';
import { isBrought } from './compare/scope.ts';
import { deedNamed, deedOf } from './plane/audit.ts';
import { type ControlPlane, startControlPlane } from './plane/control-plane.ts';
import { startFleet } from './plane/fleet.ts';
import { findPrograms } from './plane/programs.ts';
import { createRequests, type Requests } from './plane/requests.ts';

const { programs, missing = '' } = findPrograms(process.env);
const operator = serviceAccount('signalbox', 'signalbox-operator');
const { signal } = new AbortController();
const nodes = 2;
const helm = findHelm(process.env);

/** A server, and what a test does with it. */
interface Side {
  readonly requests: Requests;
  readonly installation: Installation;
  close(): Promise<void>;
}

async function ours(folder: string): Promise<Side> {
  const pki = await loadServingPki({ folder });
  const cluster = await createCluster({ nodes, certificateAuthority: pki });
  const serving = await serveCluster(cluster, { pki, port: 0, kubeconfig: join(folder, 'kubeconfig') });
  const { ca, admin } = pki.current();
  const requests = createRequests({ server: serving.url, ca, client: admin });
  const installation = installationIn(folder);
  return {
    requests,
    installation,
    async close() {
      await installation.close();
      requests.close();
      await serving.close();
      await cluster.close();
    },
  };
}

type Theirs = Side & { readonly plane: ControlPlane };

async function theirs(folder: string): Promise<Theirs> {
  if (programs === undefined) throw new Error(missing);
  const plane = await startControlPlane({ programs, folder, parts: [] });
  const problems: unknown[] = [];
  const fleet = await startFleet({
    connection: plane.connection,
    count: nodes,
    report: (problem) => problems.push(problem),
  });
  const installation = installationIn(folder);
  return {
    ...{ plane, installation, requests: plane.requests },
    async close() {
      await installation.close();
      await fleet.close();
      await plane.close();
      expect(problems).toEqual([]);
    },
  };
}

let folder: string;
const sides: Side[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-peers-'));
});
afterEach(async () => {
  for (const side of sides.splice(0)) await side.close();
  rmSync(folder, { recursive: true, force: true });
});

const installed = (side: Side): Promise<unknown> => side.installation.kubectl('apply', '-f', 'deploy/chart/crds');

async function quickstart({ installation }: Side): ReturnType<Installation['startAsPod']> {
  const { kubectl, startAsPod, untilAvailable } = installation;
  await kubectl('apply', '-f', 'deploy/operator.yaml');
  await kubectl('apply', '--dry-run=server', '-f', 'deploy/operator.yaml', '-f', 'deploy/adapter.yaml');
  const started = await startAsPod('operator');
  await kubectl('apply', '-f', 'examples/quickstart');
  await untilAvailable();
  return started;
}

async function compared(there: Side, here: Side): Promise<ReturnType<typeof unexplained>> {
  const of = async ({ requests }: Side): Promise<readonly Alike[]> => {
    const objects = await everythingOn(requests);
    return [...alike(objects, { only: isBrought }), ...told(objects)];
  };
  return unexplained(differencesOf(await of(there), await of(here)), known);
}

/** What the operator's role is judged by: every request that it made there. */
function expectWithinRole({ plane }: Theirs): void {
  const records = plane.audited().filter(({ user }) => user.username === operator.name);
  expect(records.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
  const deeds = new Set(records.map(deedOf));
  const given = rulesIn(deployed('operator.yaml')).flatMap(({ verbs, apiGroups = [], resources = [] }) =>
    verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => ({ verb, group, resource })))),
  );
  const unused = given
    .map(({ verb, group, resource }) => deedNamed({ verb, group, resource }))
    // Ingresses are read where a probe asks for them.
    .filter((deed) => /^(?:list|watch) /.test(deed) && !deed.includes('ingresses') && !deeds.has(deed));
  expect(unused).toEqual([]);
}

describe.skipIf(programs === undefined)(`upstream's control plane${missing === '' ? '' : ` (${missing})`}`, () => {
  test('deploy/ and the quick start come to the same there as here, and the operator is refused nothing', async () => {
    const upstream = await theirs(join(folder, 'there'));
    sides.push(upstream);
    const here = await ours(join(folder, 'here'));
    sides.push(here);
    await Promise.all([installed(upstream), installed(here)]);
    // Its autoscaler looks only every half minute for what there is, and is to find the roots at once.
    await upstream.plane.begin('kube-controller-manager');
    await upstream.plane.begin('kube-scheduler');
    const [there] = await Promise.all([quickstart(upstream), quickstart(here)]);
    // Both go on for a while: what follows what, and autoscalers that look every 15 s.
    const untilMs = systemClock.nowMs() + 60_000;
    let found = await compared(upstream, here);
    while (found.lines.length + found.needless.length > 0 && systemClock.nowMs() < untilMs) {
      await sleep(systemClock, 1_000, { signal });
      found = await compared(upstream, here);
    }
    expect(found).toEqual({ lines: [], needless: [] });
    expect(await end(there)).toBe(0);
    expectWithinRole(upstream);
  }, 240_000);

  test.skipIf(helm === undefined)('Helm installs the chart, waits for it, upgrades and takes it away', async () => {
    const upstream = await theirs(join(folder, 'there'));
    sides.push(upstream);
    await upstream.plane.begin('kube-controller-manager');
    await upstream.plane.begin('kube-scheduler');
    const { told, kubectl, startAsPod, untilAvailable } = upstream.installation;
    const run = (...argv: readonly string[]): Promise<string> => told(helm ?? '', ...argv);
    const release = ['signalbox', 'deploy/chart', '--namespace', 'signalbox', '--wait', '--timeout', '60s'];
    await run('install', ...release, '--create-namespace');
    const started = await startAsPod('operator');
    await kubectl('apply', '-f', 'examples/quickstart');
    await untilAvailable();
    await run('upgrade', ...release, '--set', 'adapter.enabled=true,replicas=3');
    expect(await end(started)).toBe(0);
    expectWithinRole(upstream);
    await run('uninstall', 'signalbox', '--namespace', 'signalbox', '--wait');
    expect(await kubectl('get', 'grafanaagents,prometheusagents', '-A', '-o', 'name')).toContain('edge');
  });
});
