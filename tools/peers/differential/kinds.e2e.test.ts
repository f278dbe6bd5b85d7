/** That nothing which can be written is left out of what is played: by what our own server says that it serves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { playedKinds } from './kinds.ts';
import { type OwnSide, startOwnSide } from './sides.ts';

/** They are kinds of doors: what is sent to them by the other way is played there. */
const atDoors: readonly string[] = ['v1 bindings'];

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

interface Resources {
  readonly groupVersion: string;
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }[];
}

let folder: string;
let side: OwnSide;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-kinds-'));
  side = await startOwnSide(folder);
});

afterAll(async () => {
  await side.close();
  rmSync(folder, { recursive: true, force: true });
});

async function read<T>(path: string): Promise<T> {
  const { text } = await side.requests.ask({ method: 'GET', path });
  return JSON.parse(text) as T;
}

async function served(): Promise<readonly Resources[]> {
  type Groups = { readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[] };
  const { groups } = await read<Groups>('/apis');
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  return Promise.all(['/api/v1', ...versions].map((path) => read<Resources>(path)));
}

test('every kind that can be written is played, with its status and all its doors', async () => {
  const playable = playedKinds.flatMap(({ apiVersion, resource, hasStatus, doors }) => [
    `${apiVersion} ${resource}`,
    ...(hasStatus ? [`${apiVersion} ${resource}/status`] : []),
    ...doors.map(({ path }) => `${apiVersion} ${resource}/${path}`),
  ]);
  const writable = (await served()).flatMap(({ groupVersion, resources }) =>
    resources
      .filter(({ verbs }) => verbs.some((verb) => writes.has(verb)))
      .map(({ name }) => `${groupVersion} ${name}`),
  );
  expect(writable.length).toBeGreaterThan(90);
  expect(writable.filter((each) => !playable.includes(each) && !atDoors.includes(each))).toEqual([]);
});
