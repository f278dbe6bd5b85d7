/** Upstream's end-to-end tests of StatefulSets: times to wait, and where ordinals begin. Rows 2.2.16, 2.2.17, 2.2.26 to 2.2.29. */
import { expect } from 'vitest';
import { imagesOf, namesOf, row, type Stage, serving } from './stage.ts';
import { change, create, follow, name, read, setImage } from './statefulset.ts';

row('2.2.16', async (stage) => {
  const { told, stop } = follow(stage);
  await create(stage, { replicas: 2, set: { minReadySeconds: 30 }, seconds: 10 });
  expect(told.filter((text) => text.includes(name))).toEqual(['+web-0']);
  await stage.advance(35_000);
  expect(namesOf(await stage.podsOf(name))).toEqual(['web-0', 'web-1']);
  await stage.advance(35_000);
  await setImage(stage, 'example/app:2');
  await stage.advance(10_000);
  // Each waits until the one before has served for long enough.
  expect(imagesOf(await stage.podsOf(name))).toEqual(['example/app:1', 'example/app:2']);
  await stage.advance(90_000);
  expect(imagesOf(serving(await stage.podsOf(name)))).toEqual(['example/app:2']);
  stop();
});

row('2.2.17', async (stage) => {
  const parallel = { podManagementPolicy: 'Parallel', minReadySeconds: 3600 };
  await create(stage, { replicas: 2, set: parallel });
  expect((await read(stage)).status).toMatchObject({ readyReplicas: 2, availableReplicas: 0 });
  await change(stage, { minReadySeconds: 0 });
  await stage.advance(2_000);
  expect((await read(stage)).status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
  await change(stage, { minReadySeconds: 120 });
  await stage.advance(2_000);
  expect((await read(stage)).status.availableReplicas).toBe(0);
  await stage.advance(120_000);
  expect((await read(stage)).status.availableReplicas).toBe(2);
});

async function move(stage: Stage, ordinals: { readonly start: number } | null): Promise<readonly string[]> {
  await change(stage, { ordinals });
  await stage.advance(40_000);
  expect((await read(stage)).status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  return namesOf(serving(await stage.podsOf(name)));
}

const from = (start: number): { replicas: number; set: object } => ({ replicas: 2, set: { ordinals: { start } } });

row('2.2.26', async (stage) => {
  await create(stage, { replicas: 2 });
  expect(namesOf(await stage.podsOf(name))).toEqual(['web-0', 'web-1']);
  expect(await move(stage, { start: 2 })).toEqual(['web-2', 'web-3']);
});

row('2.2.27', async (stage) => {
  await create(stage, from(2));
  expect(namesOf(await stage.podsOf(name))).toEqual(['web-2', 'web-3']);
  expect(await move(stage, { start: 4 })).toEqual(['web-4', 'web-5']);
});

row('2.2.28', async (stage) => {
  await create(stage, from(3));
  expect(await move(stage, { start: 2 })).toEqual(['web-2', 'web-3']);
});

row('2.2.29', async (stage) => {
  await create(stage, from(3));
  expect(await move(stage, null)).toEqual(['web-0', 'web-1']);
});
