/**
 * What upstream's end-to-end tests of workloads and of the scheduler hold, row by row and in our words. Each row is a story
 * through the API in virtual time, played by exactly one `row('2.1.1', …)` of this folder.
 */
export const rows = {
  // DaemonSets.
  '2.1.1': 'a simple daemon runs on every node, and a deleted pod is revived',
  '2.1.2': 'a daemon with a node selector follows labels of nodes',
  '2.1.3': 'a daemon with node affinity follows labels of nodes',
  '2.1.4': 'a failed daemon pod is made anew',
  '2.1.5': 'OnDelete changes no pod but notes the new revision',
  '2.1.6': 'RollingUpdate replaces all pods within its budget',
  '2.1.7': 'a rollback restarts no pod that was not yet replaced',
  '2.1.8': 'with surge a node is never without its daemon while pods fail and are deleted',
  '2.1.9': 'DaemonSets are listed across namespaces and deleted as a collection',
  '2.1.10': 'the status of a DaemonSet is read, replaced and patched through its own door',
  '2.1.11': 'a ControllerRevision is listed, patched, made, replaced and deleted by hand',
} as const;

export type RowNumber = keyof typeof rows;
