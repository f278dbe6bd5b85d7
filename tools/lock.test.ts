import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const installed = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

test('what is installed is named by its content and not by where it was fetched', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

test('every package has a checksum, but for native ones of our tools for other platforms, which a registry may not have', () => {
  const isForeign = ({ optional, os, cpu }: LockedPackage): boolean =>
    optional === true && (os !== undefined || cpu !== undefined) && !(isOurs(os, 'linux') && isOurs(cpu, 'x64'));
  const isTool = (path: string): boolean => /node_modules\/@(biomejs|oxlint|oxlint-tsgolint)\//.test(path);
  const bare = installed.filter(
    ([path, found]) => found.integrity === undefined && !(isTool(path) && isForeign(found)),
  );
  // Those for another C library than ours are as foreign as those for another system.
  expect(bare.map(([path]) => path).filter((path) => !path.endsWith('musl'))).toEqual([]);
});

function isOurs(list: readonly string[] | undefined, own: string): boolean {
  return list === undefined || list.includes(own);
}
