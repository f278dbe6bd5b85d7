/** Rules of custom resources and policies: what upstream's API server and ours say of them, by tables and by chance. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@signalbox/cluster/testing';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playedPolicy, playedRule } from './expressions/by-chance.ts';
import {
  type PlayedChange,
  playChanges,
  playExpression,
  playPolicies,
  playRules,
  playTypeChecks,
} from './expressions/plays.ts';
import { type Side, startBoth } from './expressions/sides.ts';
import { findPrograms } from './plane/programs.ts';

const { programs, missing = '' } = findPrograms(process.env);
const seed = process.env['FC_SEED'] ?? '2';
/** CI has other tests beside. */
const many = process.env['CI'] === undefined ? 40 : 10;

function table<T>(path: string): readonly T[] {
  const resources = new URL('../../packages/cluster/src/resources/', import.meta.url);
  return load(readFileSync(new URL(path, resources), 'utf8')) as readonly T[];
}

let folder: string;
let sides: { readonly there: Side; readonly here: Side };

beforeAll(async () => {
  if (programs === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'signalbox-expressions-'));
  sides = await startBoth({ programs, folder });
});

afterAll(async () => {
  if (programs === undefined) return;
  await sides.here.close();
  await sides.there.close();
  rmSync(folder, { recursive: true, force: true });
});

async function both<T>(play: (side: Side) => Promise<T>): Promise<readonly [there: T, here: T]> {
  return Promise.all([play(sides.there), play(sides.here)]);
}

describe.skipIf(programs === undefined)(`upstream's API server${missing === '' ? '' : ` (${missing})`}`, () => {
  test('says of changes what was recorded, and so does ours', { timeout: 120_000 }, async () => {
    const changes = table<PlayedChange & { readonly issues?: readonly string[]; readonly warns?: readonly string[] }>(
      'apiextensions/testdata/changes.yaml',
    );
    const recorded = changes.map(({ issues = [], warns = [] }) => ({
      issues: [...issues].sort(),
      warns: [...warns].sort(),
    }));
    const [there, here] = await both((side) => playChanges(side, changes));
    expect(there.map(({ issues, warnings }) => ({ issues, warns: warnings }))).toEqual(recorded);
    expect(here).toEqual(there);
  });

  test('says of expressions what was recorded', { timeout: 120_000 }, async () => {
    const cases = table<{ readonly expression: string; readonly problem?: string }>(
      'admissionregistration/testdata/expressions.yaml',
    );
    for (const { expression, problem } of cases)
      expect(await playExpression(sides.there, expression), expression).toBe(problem);
  });

  test('warns of types in policies, and so does ours', { timeout: 120_000 }, async () => {
    // Of custom resources upstream's controller hears after a while, and does not look again.
    const cases = table<{ readonly spec: object; readonly warnings?: readonly object[] }>(
      'admissionregistration/testdata/type-checking.yaml',
    ).filter(({ spec }) => !JSON.stringify(spec).includes('tc.example.com'));
    const [there, here] = await both((side) =>
      playTypeChecks(
        side,
        cases.map(({ spec }) => spec),
      ),
    );
    expect(there).toEqual(cases.map(({ warnings = [] }) => warnings));
    expect(here).toEqual(there);
  });

  test('says the same of rules by chance, and of objects for them', { timeout: 300_000 }, async () => {
    const random = seededRandom(`rules ${seed}`);
    const rules = Array.from({ length: many }, () => playedRule(random));
    const [there, here] = await both((side) => playRules(side, rules));
    for (const [index, rule] of rules.entries()) expect(here[index], JSON.stringify(rule)).toEqual(there[index]);
    expect(new Set(there.flat().map(({ code }) => code))).toEqual(new Set([200, 201, 422]));
  });

  test('says the same of policies by chance, and of what they judge', { timeout: 300_000 }, async () => {
    const random = seededRandom(`policies ${seed}`);
    const played = Array.from({ length: many }, () => playedPolicy(random));
    const [there, here] = await both((side) => playPolicies(side, played));
    for (const [index, policy] of played.entries()) expect(here[index], JSON.stringify(policy)).toEqual(there[index]);
    expect(there.flat().filter(({ code }) => code === 201).length).toBeGreaterThan(many / 2);
  });
});
