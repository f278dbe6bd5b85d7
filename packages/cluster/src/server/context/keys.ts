/**
 * Where objects stand in the store: `/<group or core>/<resource>/<namespace>/<name>`. All versions of a resource share one
 * place, so the version is not part of it. Prefixes end in a slash: `foo` never lists `foobar`.
 */
export function resourcePrefix({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return `/${group === '' ? 'core' : group}/${resource}/`;
}

/** `pods`, `deployments.apps`: the resource of a key. */
export function resourceOfKey(key: string): string {
  const [, group = '', resource = ''] = key.split('/', 3);
  return group === 'core' ? resource : `${resource}.${group}`;
}

/** The objects of one namespace, or all of them. */
export function collectionPrefix(prefix: string, namespace: string | undefined): string {
  return namespace === undefined || namespace === '' ? prefix : `${prefix}${namespace}/`;
}

export function objectKey(prefix: string, namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? prefix + name : `${prefix}${namespace}/${name}`;
}
