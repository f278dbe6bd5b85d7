/** For pods whose containers see each other's processes: a namespace of their own, held by a process that waits for orphans. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { PodNamespaces } from '../network/network.ts';
import { hostEnv } from '../run.ts';
import { joinNamespaces } from './spawn-container.ts';

export interface PodProcesses {
  /** Of the first process in the namespace. */
  of(uid: string, namespaces: PodNamespaces): Promise<number>;
  /** Ends the first, and so all. */
  remove(uid: string): void;
}

export function createPodProcesses(): PodProcesses {
  const holders = new Map<string, { readonly first: Promise<number>; end(): void }>();
  return {
    of(uid, namespaces) {
      const known = holders.get(uid);
      if (known !== undefined) return known.first;
      const made = hold(namespaces);
      holders.set(uid, made);
      made.first.catch(() => holders.delete(uid));
      return made.first;
    },
    remove(uid) {
      holders.get(uid)?.end();
      holders.delete(uid);
    },
  };
}

/** bubblewrap's own first process looks after those who have lost their parents. */
const options = [
  ...['--unshare-pid', '--die-with-parent', '--new-session', '--json-status-fd', '3'],
  // Whoever sees a process may see what it sees: no more than every container does.
  ...['--tmpfs', '/', '--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
  ...['--cap-drop', 'ALL', '--', '/usr/bin/sleep', 'infinity'],
];

function hold(namespaces: PodNamespaces): { readonly first: Promise<number>; end(): void } {
  const [program = '', ...args] = [...joinNamespaces(namespaces), 'bwrap', ...options];
  const child = spawn(program, args, { env: hostEnv, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const status = (child.stdio as readonly unknown[])[3] as Readable;
  const first = new Promise<number>((resolve, reject) => {
    let text = '';
    status.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const pid = /"child-pid": (\d+)/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`no namespace for the pod's processes: ${said.trim()}`)));
  });
  return { first, end: () => void child.kill('SIGKILL') };
}
