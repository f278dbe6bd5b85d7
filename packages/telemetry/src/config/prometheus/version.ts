/** A released version of Prometheus. */
export type Version = readonly [major: number, minor: number, patch: number];

/** From `v3.1.0` or `2.53`; what follows a dash does not matter. Undefined when it is none that this operator knows to configure. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch = '0'] = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$/.exec(text) ?? [];
  if (major !== '2' && major !== '3') return undefined;
  return [Number(major), Number(minor), Number(patch)];
}

/** `minimum` is `major.minor`. */
export function isAtLeast(version: Version, minimum: string): boolean {
  const [major = 0, minor = 0] = minimum.split('.').map(Number);
  return version[0] > major || (version[0] === major && version[1] >= minor);
}

export function formatVersion(version: Version): string {
  return version.join('.');
}
