import type { APIResource, APIResourceList } from '../../api/generated/meta-v1.ts';
import { apiVersionOf } from '../../api/gvk.ts';
import { failure, StatusError } from '../../api/status.ts';
import type { ApiPlace, OtherApi } from '../context/other-apis.ts';
import type { Group } from './discovery.ts';

/** Discovery of what is answered elsewhere, in the words of whoever answers. Pure. */
export function withOthers(groups: readonly Group[], others: readonly OtherApi[]): readonly Group[] {
  if (others.length === 0) return groups;
  const known = groups.map((each) => ({
    ...each,
    versions: [...each.versions, ...versionsOf(each.group, { others, known: each.versions })],
  }));
  const names = [...new Set([...others].sort(byPriority).map(({ group }) => group))];
  const added = names
    .filter((name) => !groups.some(({ group }) => group === name))
    .map((group) => ({ group, versions: versionsOf(group, { others, known: [] }) }));
  return [...known, ...added];
}

function byPriority(a: OtherApi, b: OtherApi): number {
  return b.groupPriority - a.groupPriority || (a.group < b.group ? -1 : 1);
}

function versionsOf(
  name: string,
  { others, known }: { readonly others: readonly OtherApi[]; readonly known: readonly string[] },
): readonly string[] {
  return others
    .filter(({ group, version }) => group === name && !known.includes(version))
    .sort((a, b) => b.versionPriority - a.versionPriority)
    .map(({ version }) => version);
}

export function otherAt(others: readonly OtherApi[], { group, version }: ApiPlace): OtherApi | undefined {
  return others.find((other) => other.group === group && other.version === version);
}

/** Throws 503 while nobody answers. */
export function otherResourceList(other: OtherApi): APIResourceList {
  const resources = other.resources();
  if (resources === undefined)
    throw new StatusError(
      failure(503, 'ServiceUnavailable', 'the server is currently unable to handle the request', {}),
    );
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf(other), resources };
}

/** As upstream nests them: a subresource whose resource is not listed gets one that cannot do anything. */
export function otherAggregated(other: OtherApi): readonly object[] {
  const resources = other.resources() ?? [];
  const names = new Set(resources.map(({ name }) => name.split('/', 1)[0] ?? ''));
  return [...names].map((name) => {
    const whole = resources.find((each) => each.name === name);
    const doors = resources.filter((each) => each.name.startsWith(`${name}/`));
    const scope = (whole ?? doors[0])?.namespaced === true ? 'Namespaced' : 'Cluster';
    const { singularName = '', verbs = [], shortNames = [], categories = [] } = whole ?? {};
    return {
      resource: name,
      responseKind: whole === undefined ? { group: '', version: '', kind: '' } : kindOf(whole, other),
      ...{ scope, singularResource: singularName, verbs },
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
      ...(doors.length > 0 && {
        subresources: doors.map((door) => ({
          subresource: door.name.slice(name.length + 1),
          responseKind: kindOf(door, other),
          verbs: door.verbs,
        })),
      }),
    };
  });
}

function kindOf({ group, version, kind }: APIResource, other: OtherApi): object {
  return { group: group || other.group, version: version || other.version, kind };
}
