import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests that wait for minutes of real time, the longest first. A clone has no times of earlier runs, and by size they would come last:
 * one core would look on.
 */
export const longest: readonly string[] = [
  'tools/peers/operator/operator.e2e.test.ts',
  'sim/attack/attacks.e2e.test.ts',
  'tools/peers/surroundings.e2e.test.ts',
  'tools/peers/objects.e2e.test.ts',
  'tools/peers/placing.e2e.test.ts',
  'tools/peers/expressions.e2e.test.ts',
  'tools/peers/volumes.e2e.test.ts',
  'tools/peers/differential/differential.e2e.test.ts',
  'packages/telemetry/src/promtool-sweep.e2e.test.ts',
  'packages/cluster/src/e2e/kubectl-write.e2e.test.ts',
  'tools/release.e2e.test.ts',
  'packages/cluster/src/server/http/unfinished.e2e.test.ts',
  'packages/cli/src/commands/operator.e2e.test.ts',
  'packages/cli/src/commands/operators.e2e.test.ts',
  'packages/cli/src/commands/load.real.test.ts',
  'packages/cli/src/commands/agents.real.test.ts',
  'packages/cli/src/commands/deployed.real.test.ts',
  'packages/cli/src/commands/handover.real.test.ts',
  'packages/cli/src/commands/receiver.real.test.ts',
  'packages/node/src/node-heals.real.test.ts',
  'packages/node/src/node.real.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...byWait(await super.sort(files))];
  }
}

export function byWait(files: readonly TestSpecification[]): readonly TestSpecification[] {
  return files.toSorted((a, b) => rankOf(a.moduleId) - rankOf(b.moduleId));
}

/** Of a path, absolute or from the root of the project: the smaller, the longer its test; all others are alike. */
export function rankOf(path: string): number {
  const index = longest.findIndex((each) => `/${path}`.endsWith(`/${each}`));
  return index < 0 ? longest.length : index;
}
