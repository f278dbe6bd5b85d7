import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rbac } from '@signalbox/cluster';
import {
  createIdentityJudge,
  type IdentityJudge,
  type OperatorUnderTest,
  runScenario,
  systemIdentities,
} from '@signalbox/cluster/testing';
import {
  createTelemetryOperator,
  customResourceDefinitions,
  defaultComponents,
  operatorIdentity,
} from '@signalbox/telemetry';
import { expect } from 'vitest';

const manifests = join(import.meta.dirname, 'manifests');
const readFile = (path: string): string => readFileSync(join(manifests, path), 'utf8');
const components = defaultComponents();
const acts = operatorIdentity(components);
const operator: OperatorUnderTest = {
  components: [(platform) => createTelemetryOperator(platform, { components, user: acts.user })],
  identities: [acts],
  objects: customResourceDefinitions(),
  custom: components.map(({ rootType }) => rootType),
};

/** Of all stories that one file of tests plays: what nobody does in any of them need not be listed. */
export const judge: IdentityJudge = createIdentityJudge(rbac, [...systemIdentities, acts]);

/** The names of the files that hold a folder's stories. */
export const storiesIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((file) => file.endsWith('.txt'));

/** Plays the story that stands in a file, and expects what stands there to happen. */
export async function play(path: string): Promise<void> {
  const happened = await runScenario(readFileSync(path, 'utf8'), { readFile, operator, authorizer: judge });
  await expect(happened).toMatchFileSnapshot(path);
  // Whoever is part of the plane does what is listed for it, and nothing more.
  expect([...judge.excess]).toEqual([]);
}
