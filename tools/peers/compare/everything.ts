import { type KubeObject, sleep, systemClock } from '@signalbox/cluster';
import type { Requests } from '../plane/requests.ts';

interface Listed {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Every object that a server has, of every kind that it lists, each in one version. */
export async function everythingOn(requests: Requests): Promise<readonly KubeObject[]> {
  const { groups } = await read<Groups>(requests, '/apis');
  const versions = groups.map((group) => group.versions.map(({ groupVersion }) => groupVersion));
  const objects = await Promise.all([['v1'], ...versions].map((each) => objectsOf(requests, each)));
  return objects.flat();
}

interface Groups {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

/** Of one group. A resource is listed in the first version that has it. */
async function objectsOf(requests: Requests, versions: readonly string[]): Promise<readonly KubeObject[]> {
  const listed = new Map<string, Listed & { readonly version: string }>();
  for (const version of versions) {
    const { resources } = await read<{ readonly resources: readonly Listed[] }>(requests, pathOf(version));
    for (const resource of resources)
      if (['list', 'get'].every((verb) => resource.verbs.includes(verb)) && !listed.has(resource.name))
        listed.set(resource.name, { ...resource, version });
  }
  const lists = await Promise.all(
    [...listed.values()].map(async ({ name, kind, version }) => {
      const path = `${pathOf(version)}/${name}`;
      const { items } = await read<{ readonly items: readonly KubeObject[] }>(requests, path);
      return items.map((item) => ({ ...item, apiVersion: version, kind }));
    }),
  );
  return lists.flat();
}

function pathOf(version: string): string {
  return version === 'v1' ? '/api/v1' : `/apis/${version}`;
}

/** A server that has just learned of a resource asks to come back a second later. */
const attemptsMax = 20;
const againMs = 250;

async function read<T>(requests: Requests, path: string): Promise<T> {
  const { signal } = new AbortController();
  for (let attempt = 1; ; attempt++) {
    const { code, text } = await requests.ask({ method: 'GET', path });
    if (code === 200) return JSON.parse(text) as T;
    if (code !== 429 || attempt === attemptsMax) throw new Error(`GET ${path}: ${code} ${text}`);
    await sleep(systemClock, againMs, { signal });
  }
}
