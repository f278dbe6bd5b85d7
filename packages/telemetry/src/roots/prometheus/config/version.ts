import type { LabelNames } from '../../../relabel/problem.ts';

/** A version of Prometheus, in the form of semver.org. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** What follows the dash: `rc.1`. Empty for a release. */
  readonly pre: string;
  /** What follows the plus, which never decides anything. */
  readonly build: string;
}

const syntax = /^v?(\d+)(?:\.(\d+)(?:\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z.-]+))?)?)?$/;

/** From `v3.1.0`, `2.53` or `v3.0.0-rc.1`. Undefined when it is none that this operator knows to configure. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor = '0', patch = '0', pre = '', build = ''] = syntax.exec(text.trim()) ?? [];
  if (Number(major) !== 2 && Number(major) !== 3) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), pre, build };
}

/** `minimum` is `2.45` or `3.0.0-rc.0`. A pre-release comes before its release, so 3.0.0-rc.1 is not yet 3.0. */
export function isAtLeast(version: Version, minimum: string): boolean {
  // Every field of every monitor asks about the same few.
  const other = minima.get(minimum) ?? parseVersion(minimum);
  if (other !== undefined) minima.set(minimum, other);
  return other === undefined || compareVersions(version, other) >= 0;
}

const minima = new Map<string, Version>();

/** Negative when `a` is the older one. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePre(a.pre, b.pre);
}

/** Part by part: numbers by value and before words, words by letters, and a shorter list first. */
function comparePre(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  const others = b.split('.');
  for (const [index, part] of a.split('.').entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return a.split('.').length - others.length;
}

function comparePart(a: string, b: string): number {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && otherIsNumber) return Number(a) - Number(b);
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
  return Number(a > b) - Number(a < b);
}

export function formatVersion({ major, minor, patch, pre, build }: Version): string {
  return `${major}.${minor}.${patch}${pre === '' ? '' : `-${pre}`}${build === '' ? '' : `+${build}`}`;
}

/** Which names of labels a root's Prometheus takes; `scheme` is what the root asks for. */
export function labelNamesOf(version: Version, scheme: string | undefined): LabelNames {
  return isAtLeast(version, '3.0') && scheme?.toLowerCase() !== 'legacy' ? 'utf8' : 'legacy';
}
