import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Inside } from '../protocol/inside.ts';

export interface FakeInside extends Inside {
  /** What was asked, in its order: `start a/main/0`. */
  readonly asked: readonly string[];
  /** What a command says, and its exit code. */
  answers(answer: (argv: readonly string[]) => { readonly output: string; readonly exitCode: number }): void;
}

/** Nothing runs here; addresses of the cluster network are this machine's loopback. */
export function createFakeInside(parts: Partial<Inside> = {}): FakeInside {
  const asked: string[] = [];
  let answer: Parameters<FakeInside['answers']>[0] = () => ({ output: '', exitCode: 0 });
  const session: Inside['exec'] = async (container, { argv }) => {
    asked.push(`exec ${container.name}: ${argv.join(' ')}`);
    const { output, exitCode } = answer(argv);
    const stdout = new PassThrough();
    stdout.end(output);
    return { stdin: undefined, stdout, stderr: undefined, ended: Promise.resolve(exitCode), resize: () => undefined };
  };
  return {
    asked,
    answers(next) {
      answer = next;
    },
    state: () => Promise.resolve({ event: 0, pods: [], containers: [], orphans: [], lacks: [] }),
    async *events() {},
    addPod: async ({ uid }) => void asked.push(`add ${uid}`),
    removePod: async (uid) => void asked.push(`remove ${uid}`),
    writeVolume: async (uid, { name }) => void asked.push(`write ${name} of ${uid}`),
    removeVolumes: async (uid) => void asked.push(`empty ${uid}`),
    async start({ pod, name, attempt }) {
      asked.push(`start ${name}/${attempt} of ${pod}`);
      return { pod, name, attempt, id: `process://${name}-${attempt}`, startedMs: 0 };
    },
    signal: async ({ name }, signal) => void asked.push(`${signal} to ${name}`),
    exec: session,
    attach: (container, waiting) => session(container, { argv: ['attach'], stdin: true, tty: false }, waiting),
    dial: (to, { signal }) =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: to.port, signal });
        socket.once('connect', () => resolve(socket));
        socket.once('error', reject);
      }),
    usage: () => Promise.resolve([]),
    setServices: async () => undefined,
    setZone: async () => undefined,
    setSimulated: async () => undefined,
    end: async () => void asked.push('end'),
    ...parts,
  };
}
