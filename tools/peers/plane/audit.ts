/** What a kube-apiserver wrote down of the requests that it answered. */

export interface AuditRecord {
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly requestURI: string;
  /** Undefined for paths beside the API. */
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string };
}

/** A line that is still being written is left for later. */
export function parseAudit(text: string): readonly AuditRecord[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditRecord);
}

/** `update statefulsets.apps/status`: as rules of roles are told. */
export function deedOf({ verb, objectRef: { apiGroup = '', resource = '', subresource } = {} }: AuditRecord): string {
  return deedNamed({
    verb,
    group: apiGroup,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
  });
}

/** The same of a rule: `resource` may be `statefulsets/status`. */
export function deedNamed({ verb, group, resource }: Readonly<Record<'verb' | 'group' | 'resource', string>>): string {
  const [name = '', ...below] = resource.split('/');
  return `${verb} ${[group === '' ? name : `${name}.${group}`, ...below].join('/')}`;
}
