import { type Problem, StatusError } from '@signalbox/cluster';
import { seededRandom, type TestCluster } from '@signalbox/cluster/testing';
import type { Attack, AttackOptions, AttackResult } from './attack.ts';
import { type Case, createDraw, nameOfCase } from './mutation/cases.ts';
import { clear, createAttackedPlane, unsettled } from './mutation/plane.ts';
import { specimens } from './mutation/specimens.ts';
import { refusalOfSpecimen, tryCase } from './mutation/trial.ts';

const batchSize = 80;
const casesPerRound = 2_000;
const roundsByEffort = { short: 1, long: 20 } as const;
/** Virtual: long enough for controllers, scheduler, nodes and the operator to act on what they see. */
const reactionMs = 4_000;
const restMs = 120_000;

/**
 * Fields of every kind, removed, retyped and stretched, through every door, while the whole plane looks on. There are
 * millions of cases; a seed draws some, kind by kind in turns.
 */
export const mutation: Attack = {
  name: 'mutation',
  summary: 'no mutated object gets a 5xx, troubles a controller or keeps the plane from rest',
  run,
};

async function run({ seed, effort, signal, log }: AttackOptions): Promise<AttackResult> {
  const findings: string[] = [];
  const codes = new Map<number, number>();
  let cases = 0;
  for (let round = 1; round <= roundsByEffort[effort] && !signal.aborted; round++) {
    const found = await runRound(`mutation ${seed} ${round}`, { codes, signal });
    cases += casesPerRound;
    findings.push(...found.map((text) => `round ${round}: ${text}`));
    log(`${cases} cases, ${findings.length} findings`);
  }
  const answers = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => [`answers${code}`, count] as const);
  return { cases, findings: [...new Set(findings)], figures: Object.fromEntries(answers) };
}

interface Round {
  readonly codes: Map<number, number>;
  readonly signal: AbortSignal;
}

/** A new plane for every round, so that one does not suffer from what an earlier one did. */
async function runRound(seed: string, { codes, signal }: Round): Promise<readonly string[]> {
  const cluster = await createAttackedPlane(seed);
  const findings: string[] = [...(await cluster.during(specimenFindings(cluster)))];
  const tried = drawCases(cluster, { seed, count: casesPerRound });
  for (let from = 0; from < tried.length && !signal.aborted; from += batchSize) {
    const batch = tried.slice(from, from + batchSize);
    findings.push(...(await runBatch(cluster, { batch, from, codes })));
  }
  const before = cluster.problems.length;
  await cluster.advance(restMs);
  findings.push(...problemsOf(cluster, before).map((text) => `at rest: ${text}`));
  findings.push(...(await unsettled(cluster)));
  await cluster.close();
  return findings;
}

interface Batch {
  readonly batch: readonly Case[];
  readonly from: number;
  readonly codes: Map<number, number>;
}

async function runBatch(cluster: TestCluster, { batch, from, codes }: Batch): Promise<readonly string[]> {
  const before = cluster.problems.length;
  const trials = await cluster.during(
    Promise.all(batch.map(async (each, index) => ({ each, ...(await tryCase(cluster, each, from + index)) }))),
  );
  for (const { code } of trials) codes.set(code, (codes.get(code) ?? 0) + 1);
  const findings = trials.flatMap(({ each, findings: found }) => found.map((text) => `${nameOfCase(each)}: ${text}`));
  await cluster.advance(reactionMs);
  const left = trials.flatMap((trial) => trial.left);
  await clear(cluster, left);
  await cluster.advance(reactionMs);
  const taken = trials.filter(({ code }) => code === 200);
  for (const problem of problemsOf(cluster, before)) {
    const blamed = taken.filter(({ left: own }) =>
      own.some(({ object }) => mentions(problem, object.metadata.name ?? '')),
    );
    const who = (blamed.length > 0 ? blamed : taken).map(({ each }) => nameOfCase(each));
    findings.push(
      `${problem} after ${who.length > 3 ? `one of the cases ${from} to ${from + batch.length}` : who.join(' or ')}`,
    );
  }
  return findings;
}

function mentions(problem: string, name: string): boolean {
  return name !== '' && new RegExp(`\\b${name.replaceAll('.', '\\.')}(?![0-9])`).test(problem);
}

function problemsOf(cluster: TestCluster, from: number): readonly string[] {
  return cluster.problems
    .slice(from)
    .filter(isUnexpected)
    .map(({ component, message, error }) => {
      const [first = '', ...stack] =
        error instanceof Error ? (error.stack ?? error.message).split('\n') : [JSON.stringify(error) ?? ''];
      const place = stack.find((line) => line.includes('packages/'))?.trim() ?? '';
      return `${component} reports "${message}": ${first.slice(0, 300)} ${place.replace(/\S*packages\//, '')}`;
    });
}

/**
 * A template can ask for what the API refuses when it comes to the pod: the owner is told by an event, and the controller
 * tries again. A definition that goes takes what followed it along. Neither is anybody's fault here.
 */
function isUnexpected({ error }: Problem): boolean {
  const refusal = error instanceof Error && !(error instanceof StatusError) ? error.cause : error;
  return !(refusal instanceof StatusError) || refusal.status.code >= 500;
}

/** What is only shown, such as measures, nobody can write. */
function written({ api }: TestCluster): ReturnType<TestCluster['api']['describe']> {
  return api.describe().filter(({ traits }) => traits.verbs.includes('create'));
}

/** Every kind that can be written has a specimen, and the API takes it. */
async function specimenFindings(cluster: TestCluster): Promise<readonly string[]> {
  const checked = written(cluster).map(async (served) => {
    if (specimens[served.id] === undefined)
      return `there is no specimen of ${served.id}: add the least that the API takes of it to mutation/specimens.ts`;
    const refusal = await refusalOfSpecimen(cluster, served);
    return refusal === undefined ? [] : `the specimen of ${served.id} is refused: ${refusal}`;
  });
  return (await Promise.all(checked)).flat();
}

/** Kind by kind in turns, so that a small part of them meets all kinds. */
function drawCases(
  cluster: TestCluster,
  { seed, count }: { readonly seed: string; readonly count: number },
): readonly Case[] {
  const random = seededRandom(seed);
  const draws = written(cluster).map((served) => createDraw(served, random.fork(served.id)));
  return Array.from({ length: count }, (_, nth) => draws[nth % draws.length]?.()).filter((each) => each !== undefined);
}
