/**
 * A served cluster in a process of its own, so that what is measured of it is its own. Says where it is in one line of JSON, then
 * every half second how it is; ends when its standard input does.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCluster, loadServingPki, serveCluster } from '@signalbox/cluster';
import type { ServerFacts, ServerState } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-attacked-'));
const problems: string[] = [];
const report = ({ component, message, error }: { component: string; message: string; error?: unknown }): void =>
  void problems.push(`${component}: ${message}: ${error instanceof Error ? error.message : String(error)}`);

const memoryLimitBytes = 768 * 2 ** 20;
const pki = await loadServingPki({});
const names = ['greedy', 'jane'] as const;
const group = 'people';
const tokens = names.map((name) => ({ token: `token-of-${name}`, user: { name, groups: [group] } }));
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: group } };
const manifests = [
  { ...rbac, kind: 'ClusterRole', rules: [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps', 'pods'] }] },
  {
    ...{ ...rbac, kind: 'ClusterRoleBinding', subjects: [{ kind: 'Group', name: group }] },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: group },
  },
];
const cluster = await createCluster({ nodes: 2, memoryLimitBytes, manifests, report });
const kubeconfig = join(folder, 'kubeconfig');
const serving = await serveCluster(cluster, { port: 0, pki, kubeconfig, memoryLimitBytes, tokens, report });
const say = (line: ServerFacts | ServerState): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const { ca, admin } = pki.current();
const [greedy, jane] = names.map((name) => `token-of-${name}`) as [string, string];
say({ url: serving.url, ca, cert: admin.cert, key: admin.key, tokens: { greedy, jane } });

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
setInterval(() => {
  say({ rssMb: process.memoryUsage.rss() / 2 ** 20, loopDelayMsMax: delay.max / 1e6, problems: problems.splice(0) });
  delay.reset();
}, 500);

process.stdin.resume();
// Clients that are cut off by the end of the attack would be waited for; an orderly end is tested elsewhere.
process.stdin.on('end', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
