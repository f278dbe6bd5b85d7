/** What people say about a real node, for `node` and for `up --real`, which hands it on. */
import { join } from 'node:path';
import type { NodeOptions } from '@signalbox/node';
import { CommandError } from './errors.ts';
import type { Io } from './io.ts';

export type NodeTaint = NodeOptions['taints'][number];

export interface NodeTerms {
  /** Undefined: what the machine is called. */
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly podsMax: number;
  /** `PATTERN=PROGRAM` */
  readonly images: readonly string[];
  /** More of them, one a line. */
  readonly imagesFile: string | undefined;
  /** A folder of OCI layouts and saved images. */
  readonly imagesFolder: string | undefined;
  readonly egress: readonly string[];
  readonly hostPaths: readonly string[];
  readonly staticPods: string | undefined;
}

/** As flags of `signalbox node`. Pure. */
export function nodeArguments(terms: NodeTerms): readonly string[] {
  const { labels, taints, images, imagesFile, imagesFolder, egress, hostPaths, staticPods } = terms;
  const each = (flag: string, values: readonly string[]): readonly string[] => values.map((text) => `${flag}=${text}`);
  const one = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined || value === '' ? [] : [`${flag}=${value}`];
  return [
    ...one('--name', terms.name),
    ...one(
      '--labels',
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
    ),
    ...one('--taints', taints.map(formatTaint).join(',')),
    `--max-pods=${terms.podsMax}`,
    ...each('--image', images),
    ...one('--images-file', imagesFile),
    ...one('--images', imagesFolder),
    ...each('--egress', egress),
    ...each('--host-path', hostPaths),
    ...one('--static-pods', staticPods),
  ];
}

function formatTaint({ key, value, effect }: NodeTaint): string {
  return `${key}${value === undefined ? '' : `=${value}`}:${effect}`;
}

const effects: ReadonlySet<string> = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
const taintKey = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/;
const taintValue = /^([A-Za-z0-9]([\w.-]*[A-Za-z0-9])?)?$/;

/** `KEY[=VALUE]:EFFECT`; undefined: it is none. */
export function parseTaint(text: string): NodeTaint | undefined {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (!effects.has(effect) || !taintKey.test(key) || !taintValue.test(value ?? '')) return undefined;
  return { key, ...(value !== undefined && { value }), effect };
}

const nodeName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export function isNodeName(text: string): boolean {
  return text.length <= 63 && nodeName.test(text) && !/[.-][.]|[.][.-]/.test(text);
}

/** Throws when nobody named it and the machine has no name that a node may have; `flag` is how to name it. */
export function nodeNameOf({ name }: Pick<NodeTerms, 'name'>, { host }: Pick<Io, 'host'>, flag: string): string {
  const chosen = name ?? host.toLowerCase();
  if (isNodeName(chosen)) return chosen;
  throw new CommandError(
    `this machine is called "${host}", which is no name for a node (small letters, digits and dots): name it with ${flag} NAME`,
  );
}

/** Where the real nodes of a data folder have theirs. */
export function nodesFolder(data: string): string {
  return join(data, 'nodes');
}
