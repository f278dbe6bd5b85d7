import { seededRandom } from '@signalbox/cluster/testing';
import type { Attack, AttackOptions, AttackResult } from './attack.ts';
import { type Assault, assaults } from './http/assaults.ts';
import { type Bystander, startBystander } from './http/bystander.ts';
import { createTools } from './http/client.ts';
import { type AttackedServer, startServer } from './http/server.ts';
import { percentile } from './percentile.ts';

/** Generous, because the attacker, its victim and the bystander share a computer with whatever else runs there. */
const bystanderP99MsMax = 3_000;
const rssMbMax = 900;
/** What a server may say that is asked for too much. */
const statedCodes: ReadonlySet<number> = new Set([503, 504, 507]);
const assaultMsMax = 30_000;

/**
 * Sockets that no library would open: unfinished, slow, flooding, malformed, smuggling. All the while an ordinary client writes
 * and reads, and must be answered quickly.
 */
export const http: Attack = {
  name: 'http',
  summary: 'raw HTTP and HTTP/2 hold up nobody else, break nothing and fill no memory',
  run,
};

async function run(options: AttackOptions): Promise<AttackResult> {
  const server = await startServer();
  try {
    await fill(server);
    const bystander = startBystander(server.facts);
    const result = await assaultAll(options, { server, bystander });
    await bystander.stop();
    return result;
  } finally {
    await server.close();
  }
}

interface Scene {
  readonly server: AttackedServer;
  readonly bystander: Bystander;
}

/** A list of several megabytes, and what the bystander writes to. */
async function fill({ facts }: AttackedServer): Promise<void> {
  const { hands, close } = createTools(facts, { random: seededRandom('fill'), factor: 1 });
  const over = hands.session();
  const object = (name: string, data = ''): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { data } });
  const place = '/api/v1/namespaces';
  await hands.ask(over, {
    method: 'POST',
    path: place,
    body: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"large"}}',
  });
  for (let index = 0; index < 12; index++)
    await hands.ask(over, {
      method: 'POST',
      path: `${place}/large/configmaps`,
      body: object(`large-${index}`, 'x'.repeat(500_000)),
    });
  const code = await hands.ask(over, {
    method: 'POST',
    path: `${place}/default/configmaps`,
    body: object('bystander'),
  });
  close();
  if (code !== 201) throw new Error(`the bystander's object could not be made: ${code}`);
}

async function assaultAll({ seed, effort, signal, log }: AttackOptions, scene: Scene): Promise<AttackResult> {
  const findings: string[] = [];
  const all: number[] = [];
  let cases = 0;
  for (const assault of assaults) {
    if (signal.aborted) break;
    const random = seededRandom(`http-${seed}-${assault.name}`);
    const startedMs = performance.now();
    const result = await assaultOnce(assault, scene, { random, factor: effort === 'short' ? 1 : 8 });
    cases += result.cases;
    all.push(...result.tookMs);
    findings.push(...result.findings.map((text) => `${assault.name}: ${text} (--seed ${seed})`));
    const tookMs = Math.round(performance.now() - startedMs);
    const rssMb = Math.round(scene.server.states.at(-1)?.rssMb ?? 0);
    const waitedMs = percentile(result.tookMs, 0.99);
    log(
      `${assault.name}: ${result.cases} cases in ${tookMs} ms, the bystander waited ${waitedMs} ms, the server has ${rssMb} MB`,
    );
    if (scene.server.death() !== undefined) break;
  }
  const { states } = scene.server;
  const rssMb = Math.max(0, ...states.map((state) => state.rssMb));
  if (rssMb > rssMbMax) findings.push(`the server took ${Math.round(rssMb)} MB`);
  findings.push(...states.flatMap(({ problems }) => problems).slice(0, 10));
  return {
    cases,
    findings,
    figures: {
      bystanderAnswers: all.length,
      bystanderP50Ms: percentile(all, 0.5),
      bystanderP99Ms: percentile(all, 0.99),
      bystanderMaxMs: percentile(all, 1),
      loopDelayMsMax: Math.round(Math.max(0, ...states.map((state) => state.loopDelayMsMax))),
      rssMbMax: Math.round(rssMb),
    },
  };
}

interface Assaulted {
  readonly cases: number;
  readonly tookMs: readonly number[];
  readonly findings: readonly string[];
}

async function assaultOnce(
  { run: assault }: Assault,
  { server, bystander }: Scene,
  options: Parameters<typeof createTools>[1],
): Promise<Assaulted> {
  const { hands, codes, close } = createTools(server.facts, options);
  const findings: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<number>((resolve) => {
    timer = setTimeout(() => {
      findings.push(`it took longer than ${assaultMsMax * options.factor} ms`);
      resolve(0);
    }, assaultMsMax * options.factor);
  });
  const cases = await Promise.race([
    tooLong,
    assault(hands).catch((error: unknown) => {
      findings.push(error instanceof Error ? error.message : String(error));
      return 1;
    }),
  ]);
  clearTimeout(timer);
  close();
  await hands.wait(100);
  const { tookMs, failures } = bystander.take();
  const p99Ms = percentile(tookMs, 0.99);
  if (p99Ms > bystanderP99MsMax) findings.push(`the bystander waited ${p99Ms} ms`);
  findings.push(...new Set(failures));
  for (const [code, count] of codes)
    if (code >= 500 && !statedCodes.has(code)) findings.push(`${count} answers with ${code}`);
  const death = server.death();
  if (death !== undefined) findings.push(death);
  return { cases, tookMs, findings };
}
