import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formatYaml, parseYamlDocuments } from '@signalbox/cluster';
import { type CommandProcess, repository, startCommand } from '../../packages/cli/src/testing/process.ts';

/** `deploy/` in a cluster, put there by its administrator: what tests do with it. */
export interface Installation {
  /** What a program prints whom the administrator starts, in the repository. */
  told(program: string, ...argv: readonly string[]): Promise<string>;
  kubectl(...argv: readonly string[]): Promise<string>;
  /** A component as its pods would run it: with the arguments of its Deployment, and the token of its account alone. */
  startAsPod(component: 'operator' | 'adapter'): Promise<CommandProcess>;
  /** Until the roots of the quick start are. */
  untilAvailable(): Promise<void>;
  /** Ends what was started. */
  close(): Promise<void>;
}

/** `folder` holds the administrator's `kubeconfig`, and what is written besides. */
export function installationIn(folder: string): Installation {
  const kubeconfig = join(folder, 'kubeconfig');
  const running: CommandProcess[] = [];
  const told = async (program: string, ...argv: readonly string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: kubeconfig };
    const { stdout } = await promisify(execFile)(program, argv, { cwd: repository, env, maxBuffer: 64e6 });
    return stdout;
  };
  const kubectl = (...argv: readonly string[]): Promise<string> => told('kubectl', ...argv);
  return {
    told,
    kubectl,
    async startAsPod(component) {
      const name = `signalbox-${component}`;
      const token = (await kubectl('create', 'token', name, '--namespace', 'signalbox')).trim();
      writeFileSync(join(folder, component), withToken(readFileSync(kubeconfig, 'utf8'), token), { mode: 0o600 });
      const path = 'jsonpath={.spec.template.spec.containers[0].args}';
      const text = await kubectl('get', 'deployment', name, '-n', 'signalbox', '-o', path);
      // The port of a pod is nobody else's; here it might be.
      const args = (JSON.parse(text) as readonly string[]).map((arg) => (/^:\d+$/.test(arg) ? '127.0.0.1:0' : arg));
      const started = startCommand(args, { cwd: folder, env: { KUBECONFIG: join(folder, component) } });
      running.push(started);
      return started;
    },
    async untilAvailable() {
      for (const root of ['grafanaagent/grafana-agent', 'prometheusagent/edge'])
        await kubectl('wait', root, '--namespace', 'monitoring', '--for=condition=Available', '--timeout=60s');
    },
    async close() {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all(running.splice(0).map(({ ended }) => ended));
    },
  };
}

/** The same server, and nobody's credentials but the token. */
function withToken(kubeconfig: string, token: string): string {
  const [document] = parseYamlDocuments(kubeconfig, { source: 'kubeconfig' });
  if (document === undefined) throw new Error('the kubeconfig is empty');
  const { users, ...rest } = document.value as { readonly users: readonly { readonly name: string }[] };
  return formatYaml({ ...rest, users: users.map((user) => ({ name: user.name, user: { token } })) });
}

/** Its exit code. */
export async function end({ child, ended }: CommandProcess): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}
