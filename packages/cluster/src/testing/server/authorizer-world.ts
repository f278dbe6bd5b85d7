import type { Pod } from '../../api/generated/core-v1.ts';
import { parseApiVersion, type ResourceType, resourceType } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Identity } from '../../api/system-identities.ts';
import { freeze } from '../../base/freeze.ts';
import { builtinPolicy } from '../../resources/rbac/builtin/builtin.ts';
import { createNodePods } from '../../server/access/rbac/node-pods.ts';
import { createPolicy } from '../../server/access/rbac/policy.ts';
import type { AuthorizerWorld } from '../../server/context/authorizer.ts';
import type { WriteListener } from '../../server/context/context.ts';
import { objectKey, resourcePrefix } from '../../server/context/keys.ts';
import type { ObjectWrite } from '../../server/context/write-request.ts';
import type { Stored } from '../../store/store.ts';

/** What an authorizer looks at, made of objects alone. */
export interface FakeWorld extends AuthorizerWorld {
  /** Stores it, as a write would. */
  put(object: object): void;
  remove(object: object): void;
}

export interface FakeWorldOptions {
  readonly objects?: readonly object[];
  readonly identities?: readonly Identity[];
}

export function createFakeWorld({ objects = [], identities = [] }: FakeWorldOptions = {}): FakeWorld {
  const kept = new Map<string, Stored>();
  let revision = 0;
  const keep = (given: object): Stored => {
    const object = freeze(given) as KubeObject;
    const { namespace, name } = object.metadata;
    const key = objectKey(resourcePrefix(typeOf(object)), namespace, name);
    const stored: Stored = { key, value: object, revision: ++revision, createdRevision: revision, weightBytes: 0 };
    kept.set(key, stored);
    return stored;
  };
  for (const object of objects) keep(object);
  const store: AuthorizerWorld['store'] = {
    get revision() {
      return revision;
    },
    get: (key) => kept.get(key),
    list: (prefix) => ({
      items: [...kept.values()].filter(({ key }) => key.startsWith(prefix)),
      revision,
      more: false,
    }),
  };
  const policy = createPolicy({ store, builtin: builtinPolicy(identities) });
  const nodePods = createNodePods({ store });
  const tell = (what: keyof WriteListener, stored: Stored): void => {
    for (const listener of [policy, nodePods]) listener[what]?.(stored, {} as ObjectWrite);
  };
  return {
    store,
    registry: {} as AuthorizerWorld['registry'],
    grants: policy,
    podsOf: (node): Iterable<Pod> => nodePods.of(node),
    put: (object) => tell('put', keep(object)),
    remove(object) {
      const stored = keep(object);
      kept.delete(stored.key);
      tell('removed', stored);
    },
  };
}

function typeOf({ apiVersion, kind }: KubeObject): ResourceType {
  const resource = `${kind.toLowerCase()}s`;
  return resourceType({ ...parseApiVersion(apiVersion), resource, kind, namespaced: true });
}
