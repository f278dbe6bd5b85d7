/** Mutating admission policies: what upstream's API server says of them and does by them, and ours. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mutated, mutationCases, playMutations } from './expressions/mutations.ts';
import { type Side, startBoth } from './expressions/sides.ts';
import { findPrograms } from './plane/programs.ts';

const { programs } = findPrograms(process.env);

let folder: string;
let sides: { readonly there: Side; readonly here: Side };
let there: readonly Mutated[];
let here: readonly Mutated[];

beforeAll(async () => {
  if (programs === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'signalbox-mutations-'));
  // Off by default there.
  const alsoOn = { features: ['MutatingAdmissionPolicy'], versions: ['admissionregistration.k8s.io/v1beta1'] };
  sides = await startBoth({ programs, folder, alsoOn });
  [there, here] = await Promise.all([
    playMutations(sides.there, mutationCases),
    playMutations(sides.here, mutationCases),
  ]);
});

afterAll(async () => {
  await sides?.here.close();
  await sides?.there.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

test.skipIf(programs === undefined).each(mutationCases.map((each, index) => ({ ...each, index })))(
  '$name',
  ({ index, differs }) => {
    const [ours, upstreams] = [here[index], there[index]];
    expect(ours?.policies).toEqual(upstreams?.policies);
    if (differs === true) expect(ours?.object).not.toEqual(upstreams?.object);
    else expect(ours?.object).toEqual(upstreams?.object);
  },
);

test.skipIf(programs === undefined)('some are refused, some fail, and some change an object', () => {
  const shown = there.map(({ object }) => (object === undefined ? 'refused' : 'code' in object ? 'failed' : 'made'));
  expect(new Set(shown)).toEqual(new Set(['refused', 'failed', 'made']));
  expect(JSON.stringify(there)).toContain('"x":"aab"');
});
