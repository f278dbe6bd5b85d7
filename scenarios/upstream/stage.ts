import { type KubeObject, type Pod, pods, type ResourceType } from '@signalbox/cluster';
import { adminUser, createTestCluster, podReady, type TestCluster } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { type RowNumber, rows } from './rows.ts';

export const namespace = 'default';

/** A cluster for one row, and what rows ask of it again and again. */
export interface Stage extends TestCluster {
  /** The pods that carry a label `app`, by name. */
  podsOf(app: string): Promise<readonly Pod[]>;
  /** Lets time pass second by second, and looks at the pods after each of them. */
  watching(app: string, options: Watching): Promise<void>;
  /** As `kubectl delete --all`, by a selector of labels. */
  deleteCollection(type: ResourceType, labelSelector: string, within?: string): Promise<void>;
}

export interface Watching {
  readonly seconds: number;
  look(pods: readonly Pod[], second: number): void | Promise<void>;
}

export interface RowOptions {
  readonly nodes?: number;
  /** What has to go wrong in this row, as it is told. */
  readonly problem?: RegExp;
}

/** Plays one row of the tables of {@link rows}. Whatever went wrong on the way fails it. */
export function row(
  number: RowNumber,
  play: (stage: Stage) => Promise<void>,
  { nodes = 3, problem }: RowOptions = {},
): void {
  test(`${number} ${rows[number]}`, async () => {
    const cluster = await createTestCluster({ nodes, seed: number });
    try {
      // Nodes register, namespaces get their accounts: no part of any row.
      await cluster.advance(2_000);
      await play(onStage(cluster));
      const told = cluster.problems.map(({ message, error }) => `${message}: ${String(error)}`);
      expect(told.filter((text) => problem?.test(text) !== true)).toEqual([]);
    } finally {
      await cluster.close();
    }
  });
}

function onStage(cluster: TestCluster): Stage {
  const podsOf = async (app: string): Promise<readonly Pod[]> => {
    const { items } = await cluster.client.list(pods, { namespace, labelSelector: `app=${app}` });
    return items;
  };
  const { signal } = new AbortController();
  return {
    ...cluster,
    podsOf,
    async watching(app, { seconds, look }) {
      for (let second = 1; second <= seconds; second++) {
        await cluster.advance(1_000);
        await look(await podsOf(app), second);
      }
    },
    async deleteCollection({ group, version, resource }, labelSelector, within = namespace) {
      const of = { resource: { group, version, resource }, namespace: within, user: adminUser };
      await cluster.during(
        cluster.api.perform({ ...of, verb: 'deletecollection', options: {}, list: { labelSelector } }, { signal }),
      );
    },
  };
}

export const nameOf = ({ metadata }: KubeObject): string => metadata.name;
export const namesOf = (objects: readonly KubeObject[]): readonly string[] => objects.map(nameOf).sort();
export const nodesOf = (found: readonly Pod[]): readonly string[] =>
  found.map(({ spec }) => spec.nodeName ?? '').sort();
export const imagesOf = (found: readonly Pod[]): readonly string[] =>
  [...new Set(found.flatMap(({ spec }) => spec.containers.map(({ image }) => image ?? '')))].sort();
export const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
export const serves = (pod: Pod): boolean => podReady(pod) && !isGoing(pod);
export const serving = (found: readonly Pod[]): readonly Pod[] => found.filter(serves);
