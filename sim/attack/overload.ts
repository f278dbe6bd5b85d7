import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import type { Attack, AttackOptions, AttackResult } from './attack.ts';
import { type Bystander, startBystander } from './http/bystander.ts';
import { createTools, type Hands, type Tools } from './http/client.ts';
import { type AttackedServer, startServer } from './http/server.ts';
import { percentile } from './percentile.ts';

/** Whoever asks for little must not wait for who asks for much. Generous: attacker, victim and bystander share a computer. */
const bystanderP99MsMax = 2_000;
/** Of the process, with a limit of 768 MiB: the limit and an eighth of it, as docs/overload.md says. */
const rssMbMax = 864;
/** However much is asked for, it is answered or refused by then. The longest takes half a minute on two busy cores. */
const assaultMsMax = 180_000;
const objects = 10_000;
const configmaps = '/api/v1/namespaces/default/configmaps';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** One user asks for as much as they can, in every way; another writes and reads all the while. */
export const overload: Attack = {
  name: 'overload',
  summary: 'a user who asks for everything and reads nothing holds up nobody else, and fills no memory',
  run,
};

interface Scene {
  readonly server: AttackedServer;
  readonly bystander: Bystander;
  readonly hands: Hands;
  /** Of whoever attacks. */
  readonly authorization: string;
}

async function run(options: AttackOptions): Promise<AttackResult> {
  const server = await startServer();
  const { facts } = server;
  // No certificate: then the token counts.
  const random = seededRandom(`overload-${options.seed}`);
  const factor = options.effort === 'short' ? 1 : 5;
  const tools = (): Tools => createTools({ ...facts, cert: '', key: '' }, { random, factor });
  try {
    await fill(server, random);
    const bystander = startBystander(facts, facts.tokens.jane);
    const authorization = `Bearer ${facts.tokens.greedy}`;
    const result = await attackAll(options, { tools, scene: { server, bystander, authorization } });
    await bystander.stop();
    return result;
  } finally {
    await server.close();
  }
}

/** Ten thousand objects of half a kibibyte, by the administrator. */
async function fill({ facts }: AttackedServer, random: Random): Promise<void> {
  const { hands, close } = createTools(facts, { random, factor: 1 });
  const over = hands.session();
  const create = async (name: string): Promise<void> => {
    const body = JSON.stringify({ metadata: { name, labels: { app: 'web' } }, data: { text: 'x'.repeat(500) } });
    const code = await hands.ask(over, { method: 'POST', path: configmaps, body });
    if (code !== 201) throw new Error(`${name} could not be made: ${code}`);
  };
  await create('bystander');
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < objects) await create(`object-${next++}`);
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  close();
}

interface Assault {
  readonly name: string;
  run(scene: Scene): Promise<Tried>;
}

interface Tried {
  readonly cases: number;
  /** Of those who listened for an answer: how many got none. */
  readonly unanswered?: number;
}

function asked({ authorization }: Scene, rest: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return { ':path': configmaps, authorization, ...rest };
}

const assaults: readonly Assault[] = [
  {
    name: 'two hundred slow readers of everything',
    async run(scene) {
      const { hands, authorization } = scene;
      const streams = hands.times(25);
      for (let session = 0; session < 4; session++) {
        const over = hands.session({ initialWindowSize: 0 });
        for (let each = 0; each < streams; each++)
          hands.begin(over, asked(scene, session % 2 === 0 ? { accept: table } : {})).pause();
      }
      for (let each = 0; each < 100; each++) {
        const { socket } = await hands.socket();
        socket.pause();
        socket.write(`GET ${configmaps} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
      }
      await hands.wait(3_000);
      return { cases: 4 * streams + 100 };
    },
  },
  {
    name: 'watchers who never read',
    async run(scene) {
      const { hands } = scene;
      const over = [1, 2].map(() => hands.session({ initialWindowSize: 0 }));
      for (const session of over)
        for (let each = 0; each < 100; each++)
          hands.begin(session, asked(scene, { ':path': `${configmaps}?watch=true` })).pause();
      const writer = hands.session();
      for (let write = 0; write < hands.times(200); write++) {
        const body = JSON.stringify({ data: { large: `${write}-${'x'.repeat(20_000)}` } });
        await send(scene, writer, { method: 'PATCH', path: `${configmaps}/object-1`, body });
      }
      return { cases: 200 + hands.times(200) };
    },
  },
  {
    name: 'huge bodies in parallel',
    async run(scene) {
      const { hands } = scene;
      const body = JSON.stringify({ metadata: { generateName: 'huge-' }, data: { text: 'x'.repeat(3_000_000) } });
      const sessions = [1, 2, 3, 4].map(() => hands.session());
      const each = hands.times(15);
      const codes = await Promise.all(
        sessions.flatMap((over) =>
          Array.from({ length: each }, () => send(scene, over, { method: 'POST', path: configmaps, body })),
        ),
      );
      return { cases: codes.length, unanswered: codes.filter((code) => code === 0).length };
    },
  },
  {
    name: 'floods of headers',
    async run(scene) {
      const { hands, authorization } = scene;
      const count = hands.times(40);
      const sockets = await Promise.all(Array.from({ length: count }, () => hands.socket()));
      for (const [index, { socket }] of sockets.entries()) {
        socket.on('error', () => undefined);
        socket.write(`GET ${configmaps} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n`);
        for (let line = 0; line < 200 && socket.writable; line++)
          socket.write(`X-${index}-${line}: ${'y'.repeat(1_000)}\r\n`);
      }
      await hands.wait(500);
      return { cases: count * 200 };
    },
  },
  {
    name: 'connections without requests',
    async run({ hands }) {
      const count = hands.times(400);
      for (let made = 0; made < count; made += 20)
        await Promise.all(Array.from({ length: 20 }, () => hands.socket().catch(() => undefined)));
      return { cases: count };
    },
  },
  {
    name: 'as many requests as there is room for',
    async run(scene) {
      const { hands } = scene;
      const sessions = Array.from({ length: 8 }, () => hands.session());
      const untilMs = performance.now() + hands.times(4_000);
      let count = 0;
      const paths = [`${configmaps}?limit=500`, `${configmaps}/object-1`, configmaps, `${configmaps}?limit=50`];
      const worker = async (over: ClientHttp2Session, index: number): Promise<void> => {
        while (performance.now() < untilMs && !over.destroyed) {
          count++;
          await send(scene, over, { method: 'GET', path: paths[index % paths.length] ?? configmaps });
        }
      };
      await Promise.all(sessions.flatMap((over) => Array.from({ length: 60 }, (_, index) => worker(over, index))));
      return { cases: count };
    },
  },
];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Resolves at its end, whatever that is, with the status; 0 when there was none. */
function send(scene: Scene, over: ClientHttp2Session, { method, path, body }: Sent): Promise<number> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return new Promise((resolve) => {
    if (over.destroyed || over.closed) return resolve(0);
    let code = 0;
    const stream = scene.hands.begin(over, asked(scene, { ':method': method, ':path': path, 'content-type': type }));
    stream.on('response', (answer) => {
      code = Number(answer[':status'] ?? 0);
    });
    stream.on('close', () => resolve(code));
    stream.resume();
    stream.end(body);
  });
}

interface Round {
  readonly name: string;
  readonly cases: number;
  readonly tookMs: readonly number[];
  readonly findings: readonly string[];
}

interface Attacking {
  tools(): Tools;
  readonly scene: Omit<Scene, 'hands'>;
}

async function attackAll({ signal, log, effort }: AttackOptions, attacking: Attacking): Promise<AttackResult> {
  const { server } = attacking.scene;
  const rounds: Round[] = [];
  const all: Assault = {
    name: 'all of it at once',
    async run(scene) {
      const tried = await Promise.all(assaults.map((each) => each.run(scene)));
      const sum = (of: (each: Tried) => number): number => tried.reduce((total, each) => total + of(each), 0);
      return { cases: sum(({ cases }) => cases), unanswered: sum(({ unanswered = 0 }) => unanswered) };
    },
  };
  // All at once takes as long as all the others together.
  for (const assault of effort === 'short' ? assaults : [...assaults, all]) {
    if (signal.aborted || server.death() !== undefined) break;
    const round = await attackOnce(assault, attacking);
    rounds.push(round);
    const rssMb = Math.round(server.states.at(-1)?.rssMb ?? 0);
    const p99Ms = percentile(round.tookMs, 0.99);
    log(`${assault.name}: ${round.cases} cases, the other waited ${p99Ms} ms, the server has ${rssMb} MB`);
  }
  const rssMb = Math.max(0, ...server.states.map((state) => state.rssMb));
  const findings = rounds.flatMap((round) => round.findings);
  if (rssMb > rssMbMax) findings.push(`the server took ${Math.round(rssMb)} MB`);
  findings.push(...server.states.flatMap(({ problems }) => problems).slice(0, 10));
  const tookMs = rounds.flatMap((round) => round.tookMs);
  return {
    cases: rounds.reduce((sum, { cases }) => sum + cases, 0),
    findings,
    figures: {
      otherAnswers: tookMs.length,
      otherP50Ms: percentile(tookMs, 0.5),
      otherP99Ms: percentile(tookMs, 0.99),
      otherMaxMs: percentile(tookMs, 1),
      rssMbMax: Math.round(rssMb),
    },
  };
}

async function attackOnce({ name, run: attack }: Assault, { tools, scene }: Attacking): Promise<Round> {
  const { hands, close } = tools();
  const tried = await Promise.race([attack({ ...scene, hands }), delay(assaultMsMax, undefined, { ref: false })]);
  close();
  await hands.wait(200);
  const { tookMs, failures } = scene.bystander.take();
  const p99Ms = percentile(tookMs, 0.99);
  const findings = [...new Set(failures)];
  const { cases, unanswered = 0 } = tried ?? { cases: 0 };
  if (tried === undefined) findings.push(`not over after ${assaultMsMax / 1_000} s`);
  if (unanswered > 0) findings.push(`${unanswered} requests got no answer`);
  if (p99Ms > bystanderP99MsMax) findings.push(`the other waited ${p99Ms} ms`);
  const death = scene.server.death();
  if (death !== undefined) findings.push(death);
  return { name, cases, tookMs, findings: findings.map((text) => `${name}: ${text}`) };
}
