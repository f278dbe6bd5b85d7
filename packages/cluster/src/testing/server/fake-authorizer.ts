import type { Access, Authorizer } from '../../server/context/authorizer.ts';

/** Allows everything but what `refuses` names, and writes every question down. */
export interface FakeAuthorizer extends Authorizer {
  /** `jane: get pods/log default/web`, `jane: get /livez`. */
  readonly asked: string[];
  refuses: (line: string) => boolean;
}

export function createFakeAuthorizer(): FakeAuthorizer {
  const fake: FakeAuthorizer = {
    name: 'fake',
    asked: [],
    refuses: () => false,
    authorize(access) {
      const line = accessLine(access);
      fake.asked.push(`${access.user.name}: ${line}`);
      return fake.refuses(line) ? { allowed: false } : { allowed: true, reason: 'the fake allows it' };
    },
    rulesFor: () => ({ incomplete: true, resourceRules: [], nonResourceRules: [] }),
  };
  return fake;
}

/** `get deployments.apps/scale default/web`, `list pods`, `get /livez`. */
export function accessLine(access: Access): string {
  if ('path' in access) return `${access.verb} ${access.path}`;
  const { verb, group, resource, namespace, name } = access;
  const [plural = '', ...subresource] = resource.split('/');
  const named = [group === '' ? plural : `${plural}.${group}`, ...subresource].join('/');
  const place = [namespace, name].filter((part) => part !== undefined).join('/');
  return [verb, named, place].filter((part) => part !== '').join(' ');
}
