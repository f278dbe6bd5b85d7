import { type JsonObject, type SchemaNode, schemaOf } from '@signalbox/cluster';

/** A kind whose requests are played: where it is, and valid objects to begin with. */
export interface Played {
  readonly kind: string;
  readonly apiVersion: string;
  /** `deployments` */
  readonly resource: string;
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  /** All but the name, which the player chooses; `{name}` stands for it. */
  readonly examples: readonly JsonObject[];
  readonly schema: () => SchemaNode;
  readonly isCustom: boolean;
  /** Others have objects of it, too: only those of the player are listed, watched and removed. */
  readonly isShared: boolean;
  /** It is asked, not kept. */
  readonly isReview: boolean;
  /** What it is called by the player's name; most are called so. */
  readonly named: (name: string) => string;
  readonly doors: readonly Door[];
  /** Whether a part of upstream’s server has said of a new one what it says of it; until then its version may change. */
  readonly isSettled: (object: JsonObject) => boolean;
}

/** A subresource besides the status. */
export interface Door {
  readonly path: string;
  /** Of the schema of what it takes. */
  readonly definition: string;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH')[];
  /** What it is asked with; absent: the object itself. */
  readonly examples?: readonly JsonObject[];
}

export type Plays = Partial<Omit<Played, 'kind' | 'apiVersion' | 'resource'>> & {
  readonly examples: readonly JsonObject[];
  /** Where it is not called after its group. */
  readonly definition?: string;
};

/** Of `apps/v1 Deployment deployments`. Namespaced, without a status and built-in unless that is said otherwise. */
export function played(what: string, { definition, ...plays }: Plays): Played {
  const [apiVersion = '', kind = '', resource = ''] = what.split(' ');
  return {
    ...{ apiVersion, kind, resource, isNamespaced: true, hasStatus: false, isCustom: false, isShared: false },
    ...{ isReview: false, named: (name: string) => name, doors: [], isSettled: () => true },
    schema: () => schemaOf(definition ?? definitionOf(apiVersion, kind)),
    ...plays,
  };
}

function definitionOf(apiVersion: string, kind: string): string {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `io.k8s.api.${group.split('.')[0] ?? ''}.${version}.${kind}`;
}

export const scaleDoor: Door = {
  path: 'scale',
  definition: 'io.k8s.api.autoscaling.v1.Scale',
  methods: ['GET', 'PUT', 'PUT', 'PATCH', 'PATCH'],
  examples: [
    {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: '{name}', namespace: 'played' },
      spec: { replicas: 3 },
    },
    {
      ...{ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: {} },
      metadata: { name: '{name}', namespace: 'played', resourceVersion: '{rv}' },
    },
  ],
};
