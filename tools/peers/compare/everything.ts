import type { KubeObject } from '@signalbox/cluster';
import type { Requests } from '../plane/requests.ts';

interface Listed {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Every object that a server has, of every kind that it lists, in the version that it prefers. */
export async function everythingOn(
  requests: Requests,
  { except = [] }: { /** Resources: `events.events.k8s.io`, `nodes`. */ readonly except?: readonly string[] } = {},
): Promise<readonly KubeObject[]> {
  const { groups } = await read<Groups>(requests, '/apis');
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  const objects = await Promise.all(versions.map((version) => objectsOf(requests, { version, except })));
  return objects.flat();
}

interface Groups {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
}

async function objectsOf(
  requests: Requests,
  { version, except }: { readonly version: string; readonly except: readonly string[] },
): Promise<readonly KubeObject[]> {
  const below = version === 'v1' ? '/api/v1' : `/apis/${version}`;
  const { resources } = await read<{ readonly resources: readonly Listed[] }>(requests, below);
  const group = version.includes('/') ? `.${version.split('/')[0]}` : '';
  const listed = resources.filter(
    ({ name, verbs }) => verbs.includes('list') && verbs.includes('get') && !except.includes(`${name}${group}`),
  );
  const lists = await Promise.all(
    listed.map(async ({ name, kind }) => {
      const { items } = await read<{ readonly items: readonly KubeObject[] }>(requests, `${below}/${name}`);
      return items.map((item) => ({ ...item, apiVersion: version, kind }));
    }),
  );
  return lists.flat();
}

async function read<T>(requests: Requests, path: string): Promise<T> {
  const { code, text } = await requests.ask({ method: 'GET', path });
  if (code !== 200) throw new Error(`GET ${path}: ${code} ${text}`);
  return JSON.parse(text) as T;
}
