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

test('every package has a checksum, but for native ones of other platforms that a registry may not have', () => {
  const isForeign = ({ optional, os, cpu }: LockedPackage): boolean =>
    optional === true && (os !== undefined || cpu !== undefined) && !(isOurs(os, 'linux') && isOurs(cpu, 'x64'));
  const bare = installed.filter(([, found]) => found.integrity === undefined && !isForeign(found));
  // Those for another C library than ours are as foreign as those for another system.
  expect(bare.map(([path]) => path).filter((path) => !path.endsWith('musl'))).toEqual([]);
});

function isOurs(list: readonly string[] | undefined, own: string): boolean {
  return list === undefined || list.includes(own);
}
