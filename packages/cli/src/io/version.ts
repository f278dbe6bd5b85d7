/** Kept equal to the package's version by a test. */
export const version = '0.1.0';

declare const __SIGNALBOX_COMMIT__: string | undefined;

/** What the bundle was built from; undefined when it was built without git, and when the sources are run. */
export const commit: string | undefined =
  typeof __SIGNALBOX_COMMIT__ === 'string' && __SIGNALBOX_COMMIT__ !== '' ? __SIGNALBOX_COMMIT__ : undefined;

/** `0.1.0 (commit 3f2a9c1, Node.js v20.20.2)`: what a report of a problem needs. */
export function describeVersion(nodeVersion: string, builtFrom: string | undefined = commit): string {
  return `${version} (${builtFrom === undefined ? '' : `commit ${builtFrom}, `}Node.js ${nodeVersion})`;
}
