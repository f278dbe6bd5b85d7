/**
 * The whole system as stories: each file is a list of commands and what they led to, in virtual time. `npm test -- -u`
 * rewrites what happened; commit only what you can explain.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rbac } from '@signalbox/cluster';
import { createIdentityJudge, type OperatorUnderTest, runScenario, systemIdentities } from '@signalbox/cluster/testing';
import {
  createTelemetryOperator,
  customResourceDefinitions,
  defaultComponents,
  operatorIdentity,
} from '@signalbox/telemetry';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const readFile = (path: string): string => readFileSync(join(folder, 'manifests', path), 'utf8');
const components = defaultComponents();
const acts = operatorIdentity(components);
const operator: OperatorUnderTest = {
  components: [(platform) => createTelemetryOperator(platform, { components, user: acts.user })],
  identities: [acts],
  objects: customResourceDefinitions(),
  custom: components.map(({ rootType }) => rootType),
};

const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));

test.each(files)('%s', async (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const authorizer = createIdentityJudge(rbac, [...systemIdentities, acts]);
  const happened = await runScenario(text, { readFile, operator, authorizer });
  await expect(happened).toMatchFileSnapshot(join(folder, file));
  // Whoever is part of the plane does what is listed for it, and nothing more.
  expect([...authorizer.excess]).toEqual([]);
});
