import type { Container, Node, Pod, PodSpec, Taint } from '../api/generated/core-v1.ts';
import type { ObjectMeta, StoredMeta } from '../api/meta.ts';
import { freeze } from '../base/freeze.ts';

/** Small frozen objects for tests. Each maker names only what the test is about. */
export function makeMeta(meta: ObjectMeta & { readonly name: string }): StoredMeta {
  return {
    uid: `uid-${meta.namespace ?? ''}-${meta.name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...meta,
  };
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly allocatable?: Readonly<Record<string, string>>;
  /** Names of images that are there → bytes. */
  readonly images?: Readonly<Record<string, number>>;
}

export function makeNode(name: string, parts: NodeParts = {}): Node {
  const { labels, taints, unschedulable, cpu = '4', memory = '16Gi', pods = '110', allocatable, images } = parts;
  const amounts = { cpu, memory, pods, 'ephemeral-storage': '100Gi', ...allocatable };
  return freeze({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: makeMeta({ name, labels: { 'kubernetes.io/hostname': name, ...labels } }),
    spec: { ...(taints !== undefined && { taints }), ...(unschedulable !== undefined && { unschedulable }) },
    status: {
      ...{ allocatable: amounts, capacity: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
      ...(images !== undefined && {
        images: Object.entries(images).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
      }),
    },
  });
}

export interface PodParts {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly priority?: number;
  readonly cpu?: string;
  readonly memory?: string;
  readonly hostPort?: number;
  readonly createdAt?: string;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod['status'];
  readonly metadata?: ObjectMeta;
}

export function makePod(name: string, parts: PodParts = {}): Pod {
  const {
    namespace = 'default',
    labels,
    node,
    priority,
    cpu,
    memory,
    hostPort,
    createdAt,
    spec,
    status,
    metadata,
  } = parts;
  const requests = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  const container: Container = {
    name: 'main',
    image: 'example/main:1',
    ...(Object.keys(requests).length > 0 && { resources: { requests } }),
    ...(hostPort !== undefined && { ports: [{ containerPort: hostPort, hostPort, protocol: 'TCP' }] }),
  };
  const given = {
    ...(labels !== undefined && { labels }),
    ...(createdAt !== undefined && { creationTimestamp: createdAt }),
  };
  return freeze({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: makeMeta({ name, namespace, ...given, ...metadata }),
    spec: {
      containers: [container],
      schedulerName: 'default-scheduler',
      ...(node !== undefined && { nodeName: node }),
      ...(priority !== undefined && { priority }),
      ...spec,
    },
    status: status ?? { phase: 'Pending' },
  });
}
