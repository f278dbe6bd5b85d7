/** `deploy/` and the quick start on upstream's control plane, and what comes of them there compared with what comes of them here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster, loadServingPki, serveCluster, serviceAccount, sleep, systemClock } from '@signalbox/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { end, type Installation, installationIn } from '../deploy/installation.ts';
import { alike } from './compare/alike.ts';
import { differencesOf, unexplained } from './compare/differences.ts';
import { everythingOn } from './compare/everything.ts';
import { known } from './compare/known.ts';
import { deedOf } from './plane/audit.ts';
import { type ControlPlane, startControlPlane } from './plane/control-plane.ts';
import { startFleet } from './plane/fleet.ts';
import { findPrograms } from './plane/programs.ts';
import { createRequests, type Requests } from './plane/requests.ts';

const { programs, missing = '' } = findPrograms(process.env);
const operator = serviceAccount('signalbox', 'signalbox-operator');
const { signal } = new AbortController();
const nodes = 2;

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
  const plane = await startControlPlane({ programs, folder });
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

async function quickstart({
  kubectl,
  startAsPod,
  untilAvailable,
}: Installation): ReturnType<Installation['startAsPod']> {
  await kubectl('apply', '-f', 'deploy/chart/crds');
  await kubectl('apply', '-f', 'deploy/operator.yaml');
  await kubectl('apply', '--dry-run=server', '-f', 'deploy/operator.yaml', '-f', 'deploy/adapter.yaml');
  const started = await startAsPod('operator');
  await kubectl('apply', '-f', 'examples/quickstart');
  await untilAvailable();
  return started;
}

describe.skipIf(programs === undefined)(`upstream's control plane${missing === '' ? '' : ` (${missing})`}`, () => {
  test('deploy/ and the quick start come to the same there as here, and the operator is refused nothing', async () => {
    const upstream = await theirs(join(folder, 'there'));
    sides.push(upstream);
    const here = await ours(join(folder, 'here'));
    sides.push(here);
    const [there] = await Promise.all([quickstart(upstream.installation), quickstart(here.installation)]);

    const compared = async (): Promise<ReturnType<typeof unexplained>> => {
      const [a, b] = await Promise.all([upstream, here].map(({ requests }) => everythingOn(requests)));
      return unexplained(differencesOf(alike(a ?? []), alike(b ?? [])), known);
    };
    // Both go on for a while: what follows what, and autoscalers that look every 15 s.
    const untilMs = systemClock.nowMs() + 30_000;
    let found = await compared();
    while (found.lines.length > 0 && systemClock.nowMs() < untilMs) {
      await sleep(systemClock, 500, { signal });
      found = await compared();
    }
    expect(found).toEqual({ lines: [], needless: [] });

    expect(await end(there)).toBe(0);
    const records = upstream.plane.audited().filter(({ user }) => user.username === operator.name);
    expect(records.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
    console.log([...new Set(records.map(deedOf))].sort());
  });
});
