/** `deploy/operator.yaml` on a real node: the image as `npm run image` builds it, as the pods of its Deployment. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repository } from '../testing/process.ts';
import { type RealUp, realUp } from '../testing/real-up.ts';

const { version } = JSON.parse(readFileSync(join(repository, 'packages/cli/package.json'), 'utf8')) as {
  readonly version: string;
};

let real: RealUp;
beforeEach(() => {
  real = realUp('root');
});
afterEach(() => real.end());

/** The Node.js that runs this, and the libraries that it needs. */
function rootWithNode(folder: string): string {
  const program = realpathSync(process.execPath);
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const [from, to] of [
    [program, '/usr/local/bin/node'] as const,
    ...libraries.map((path) => [path, path] as const),
  ]) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(realpathSync(from), join(folder, to));
  }
  return folder;
}

function buildImage(folder: string): void {
  const base = rootWithNode(join(folder, 'root'));
  const named = [
    '--base',
    base,
    '--platform',
    `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    '--name',
    `signalbox:${version}`,
  ];
  mkdirSync(join(folder, 'images'));
  const out = ['--out', join(folder, 'images/signalbox.tar')];
  // It builds the bundle first: what stands in a checkout may be of yesterday.
  execFileSync('npm', ['run', '--silent', 'image', '--', ...named, ...out], { cwd: repository, stdio: 'ignore' });
}

test.skipIf(process.getuid?.() !== 0)(
  'the operator runs in its pods, as any user, and the next one takes over from one that is killed',
  { timeout: 240_000 },
  async () => {
    buildImage(real.cwd);
    const deploy = join(repository, 'deploy');
    const up = real.start('up', '--real', '--no-operator', '--images', 'images', '--port', '0');
    await up.printed('export KUBECONFIG=');
    await real.kubectl('apply', '-f', join(deploy, 'chart/crds'));
    await real.kubectl('apply', '-f', join(deploy, 'operator.yaml'));
    const inOurs = ['--namespace', 'signalbox'];
    await real.kubectl('rollout', 'status', 'deployment/signalbox-operator', ...inOurs, '--timeout=90s');
    await real.kubectl('apply', '-f', join(repository, 'examples/quickstart'));
    const reconciled = async (root: string): Promise<string> =>
      real.kubectl('wait', root, '--namespace', 'monitoring', '--for=condition=Reconciled', '--timeout=60s');
    await reconciled('grafanaagent/grafana-agent');
    const holder = async (): Promise<string> => {
      const path = 'jsonpath={.spec.holderIdentity}';
      const held = await real.kubectl('get', 'lease', 'signalbox-operator', '--namespace', 'kube-system', '-o', path);
      return held.split('_')[0] ?? '';
    };
    const leader = await holder();
    const metrics = await real.kubectl(
      'get',
      '--raw',
      `/api/v1/namespaces/signalbox/pods/${leader}:8080/proxy/metrics`,
    );
    expect(metrics).toMatch(/^signalbox_leader 1$/m);
    const log = await real.kubectl('logs', leader, ...inOurs);
    expect(log).toContain('and works');
    expect(log).not.toMatch(/forbidden|"level":"(?:warn|error)"/);
    await real.kubectl('delete', 'pod', leader, ...inOurs, '--grace-period=0', '--force');
    await real.kubectl('delete', 'prometheusagent', 'edge', '--namespace', 'monitoring');
    await real.kubectl('apply', '-f', join(repository, 'examples/quickstart'));
    await reconciled('prometheusagent/edge');
    expect(await holder()).not.toBe(leader);
    // As OpenShift does, whose users are of no image.
    const spec = { template: { spec: { securityContext: { runAsUser: 1_000_650_000, runAsGroup: 0 } } } };
    await real.kubectl('patch', 'deployment', 'signalbox-operator', ...inOurs, '-p', JSON.stringify({ spec }));
    await real.kubectl('rollout', 'status', 'deployment/signalbox-operator', ...inOurs, '--timeout=90s');
  },
);
