import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@signalbox/cluster';
import { type CommandProcess, startCommand } from '../../packages/cli/src/testing/process.ts';
import type { Attack, AttackOptions, AttackResult } from './attack.ts';

/** What the server is started with, and must stay below. */
const limitMebibytes = 256;
const objectBytes = 2 ** 20;
const path = '/api/v1/namespaces/default/configmaps';

interface Reply {
  readonly code: number;
  readonly text: string;
}

interface Target {
  readonly server: CommandProcess;
  ask(method: string, path: string, body?: Body): Promise<Reply>;
  /** Begins to watch and never reads. */
  stall(): void;
  residentMebibytes(): number;
}

interface Body {
  readonly type: string;
  readonly text: string;
}

/** Patches of a few bytes, each of which made a megabyte of history, while some watch and do not read. */
export const patchFlood: Attack = {
  name: 'memory-patches',
  summary: 'small patches of one large object, with watchers that do not read, stay below the memory limit',
  run: (options) =>
    withServer(options, async (target, findings) => {
      const { signal } = options;
      await target.ask('POST', path, json(configMap('large')));
      for (let count = 0; count < 4; count++) target.stall();
      const patches = options.effort === 'long' ? 5_000 : 80;
      let done = 0;
      await inParallel(3, async () => {
        while (done < patches && !signal.aborted) {
          done += 1;
          const text = `{"metadata":{"labels":{"round":"${done}"}}}`;
          const { code } = await target.ask('PATCH', `${path}/large`, { type: 'application/merge-patch+json', text });
          if (code !== 200 && code !== 429) findings.push(`patch ${done} was answered ${code}`);
        }
      });
      return done;
    }),
};

/** Large objects until they are refused: clearly, with nothing lost that was acknowledged; deleting makes room. */
export const createFlood: Attack = {
  name: 'memory-objects',
  summary: 'large objects are refused at the memory limit with the mend, none is lost, deleting makes room',
  run: (options) =>
    withServer(options, async (target, findings) => {
      const { signal } = options;
      const kept: string[] = [];
      let refusal: Reply | undefined;
      let tried = 0;
      await inParallel(4, async () => {
        while (tried < 2_000 && refusal === undefined && !signal.aborted) {
          tried += 1;
          const name = `large-${tried}`;
          const reply = await target.ask('POST', path, json(configMap(name)));
          if (reply.code === 201) kept.push(name);
          else if (reply.code !== 429) refusal = reply;
        }
      });
      if (refusal === undefined) findings.push(`${tried} objects of 1 MiB were never refused`);
      else if (refusal.code !== 507 || !refusal.text.includes('--memory-limit'))
        findings.push(`the refusal is ${refusal.code} and does not name the mend: ${refusal.text}`);
      const ready = await target.ask('GET', '/readyz');
      if (ready.code !== 200) findings.push(`a full server is not ready: ${ready.code}`);
      for (const name of kept) {
        const { code } = await target.ask('GET', `${path}/${name}`);
        if (code !== 200) findings.push(`${name} was acknowledged and is now answered ${code}`);
      }
      for (const name of kept) {
        const { code } = await target.ask('DELETE', `${path}/${name}`);
        if (code !== 200) findings.push(`deleting ${name} was answered ${code}`);
      }
      const again = await until(() => target.ask('POST', path, json(configMap('again'))), {
        holds: ({ code }) => code === 201,
        signal,
      });
      if (again.code !== 201) findings.push(`after everything was deleted a new object is answered ${again.code}`);
      return tried;
    }),
};

/** Runs the attack, measures all the time, and then waits for the memory to go back. */
async function withServer(
  options: AttackOptions,
  attack: (target: Target, findings: string[]) => Promise<number>,
): Promise<AttackResult> {
  const { signal, effort, log } = options;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-memory-'));
  const findings: string[] = [];
  const target = await start(folder, signal);
  const watching = new AbortController();
  const idle = target.residentMebibytes();
  let most = idle;
  const watch = async (): Promise<void> => {
    while (!watching.signal.aborted) {
      most = Math.max(most, target.residentMebibytes());
      await sleep(systemClock, 20, { signal: watching.signal }).catch(() => undefined);
    }
  };
  const measured = watch();
  try {
    const cases = await attack(target, findings);
    log(`${cases} requests, at most ${most} MiB`);
    if (most > limitMebibytes) findings.push(`it held ${most} MiB, and its limit is ${limitMebibytes} MiB`);
    const after = effort === 'long' ? await settled(target, { idle, signal }) : target.residentMebibytes();
    if (effort === 'long' && after > idle * 2) findings.push(`it held ${idle} MiB before and ${after} MiB long after`);
    return { cases, findings, figures: { idleMebibytes: idle, mostMebibytes: most, afterMebibytes: after } };
  } finally {
    watching.abort();
    await measured;
    target.server.child.kill('SIGKILL');
    await target.server.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** History is kept for five minutes, and what it held is given back soon after. */
async function settled(
  target: Target,
  { idle, signal }: { readonly idle: number; readonly signal: AbortSignal },
): Promise<number> {
  for (let second = 0; second < 400 && target.residentMebibytes() > idle * 1.5 && !signal.aborted; second++)
    await sleep(systemClock, 1_000, { signal }).catch(() => undefined);
  return target.residentMebibytes();
}

async function start(folder: string, signal: AbortSignal): Promise<Target> {
  const kubeconfig = join(folder, 'kubeconfig');
  const limit = ['--memory-limit', `${limitMebibytes}Mi`];
  const place = ['--data', join(folder, 'data'), '--kubeconfig', kubeconfig, '--port', '0'];
  const server = startCommand(['up', ...place, ...limit, '--nodes', '1', '--no-operator', '--no-crds'], {
    cwd: folder,
  });
  await server.printed('The API is at');
  if (!existsSync(kubeconfig)) throw new Error(`no kubeconfig was written: ${server.err()}`);
  const text = readFileSync(kubeconfig, 'utf8');
  const found = (name: string): string => new RegExp(`${name}: "?([^"\\s]+)`).exec(text)?.[1] ?? '';
  const decoded = (name: string): Buffer => Buffer.from(found(name), 'base64');
  const { hostname: host, port } = new URL(found('server'));
  const tls = {
    ca: decoded('certificate-authority-data'),
    cert: decoded('client-certificate-data'),
    key: decoded('client-key-data'),
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ...tls });
  const ask = (method: string, where: string, body?: Body): Promise<Reply> =>
    send({ host, port, path: where, method, agent, ...tls, signal }, body);
  return {
    server,
    ask,
    stall() {
      const stalled = request({ host, port, path: `${path}?watch=1`, agent: false, ...tls }, (response) =>
        response.on('error', () => undefined).pause(),
      );
      stalled.on('error', () => undefined).end();
    },
    residentMebibytes: () => residentMebibytes(server.child.pid ?? 0),
  };
}

function send(options: RequestOptions, body?: Body): Promise<Reply> {
  const headers =
    body === undefined ? {} : { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body?.text);
  });
}

/** Without the pages of files, which the system takes back when it needs them. 0 where it does not tell. */
function residentMebibytes(pid: number): number {
  try {
    const kibibytes = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kibibytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { large: 'x'.repeat(objectBytes) } };
}

function json(object: object): Body {
  return { type: 'application/json', text: JSON.stringify(object) };
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}

async function until<T>(
  read: () => Promise<T>,
  { holds, signal }: { readonly holds: (value: T) => boolean; readonly signal: AbortSignal },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const value = await read();
    if (holds(value) || attempt === 50 || signal.aborted) return value;
    await sleep(systemClock, 100, { signal });
  }
}
