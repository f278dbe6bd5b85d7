/** What a volume of a pod is, and holds. */
export type VolumeContent = { readonly name: string } & (
  | { readonly is: 'empty'; readonly medium: 'disk' | 'memory'; readonly limitBytes?: number; readonly group?: number }
  /** Replaced as a whole: readers see the old files or the new ones. Never on disk when secret. */
  | { readonly is: 'files'; readonly files: readonly VolumeFile[]; readonly isSecret: boolean; readonly group?: number }
  /** A folder of the node's that outlives the pod. */
  | { readonly is: 'claim'; readonly folder: string; readonly group?: number }
  /** A path of the node, which has to be of the type of its `hostPath`; it is found anew by every container that mounts it. */
  | { readonly is: 'host'; readonly path: string; readonly type: string }
);

export interface VolumeFile {
  /** Relative, without `..`. */
  readonly path: string;
  readonly base64: string;
  /** Permission bits, `0o644`. */
  readonly mode: number;
  /** Who owns it; undefined: root, or the group of the volume. */
  readonly owner?: number;
}
