/** What requests are sent with; `{rv}` and `{uid}` stand for those of the object that is there. */

/** Selectors: good ones, those of fields that only some kinds have, and wrong ones. */
export const selections: readonly string[] = [
  ...['', '', '', 'labelSelector=app%3Da', 'labelSelector=!app', 'labelSelector=app%20in%20(a,b)'],
  ...[
    'labelSelector=app%20notin%20(a)',
    'labelSelector=app!%3Da',
    'labelSelector=a%3Db%3Dc',
    'labelSelector=app%20in%20()',
  ],
  ...[
    'labelSelector=-x',
    'labelSelector=app%3DNot%20Valid!',
    'labelSelector=app%20in%20a',
    'labelSelector=app%20gt%201',
  ],
  ...[
    'fieldSelector=metadata.name%3Do-1',
    'fieldSelector=metadata.name!%3Do-1',
    'fieldSelector=metadata.namespace%3Dplayed',
  ],
  ...['fieldSelector=spec.nodeName%3Da', 'fieldSelector=status.phase%3DPending', 'fieldSelector=type%3DOpaque'],
  ...[
    'fieldSelector=spec.unheardOf%3Da',
    'fieldSelector=metadata.labels%3Da',
    'fieldSelector=a',
    'fieldSelector=a%3D%3Db,c',
  ],
  ...['fieldSelector=metadata.name%3Do-1,metadata.name%3Do-2', 'fieldSelector=%3D', 'fieldSelector=metadata.name%3D'],
  'labelSelector=app%3Da&fieldSelector=metadata.name%3Do-1',
];

/** Of lists. */
export const readingQueries: readonly string[] = [
  ...['', '', '', 'limit=1', 'limit=1', 'limit=2', 'limit=500', 'limit=0', 'limit=-1', 'limit=x'],
  ...[
    'resourceVersion=0',
    'resourceVersion=0&limit=1',
    'resourceVersion={rv}',
    'resourceVersion=x',
    'resourceVersion=-1',
  ],
  ...['resourceVersion={rv}&resourceVersionMatch=Exact', 'resourceVersion={rv}&resourceVersionMatch=Exact&limit=1'],
  ...['resourceVersion={rv}&resourceVersionMatch=NotOlderThan', 'resourceVersion=0&resourceVersionMatch=NotOlderThan'],
  ...[
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=NotOlderThan',
  ],
  ...['resourceVersion={rv}&resourceVersionMatch=Sometimes', 'continue=x', 'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ'],
  ...[
    'sendInitialEvents=true',
    'sendInitialEvents=false',
    'allowWatchBookmarks=true',
    'timeoutSeconds=5',
    'watch=false',
  ],
  ...['timeoutSeconds=x', 'pretty=true', 'unheardOf=a', 'limit=1&continue=x', 'continue=x&resourceVersion={rv}'],
];

/** Of watches. */
export const watchingQueries: readonly string[] = [
  ...['', '', 'resourceVersion=0', 'resourceVersion={rv}', 'resourceVersion={rv}', 'resourceVersion=x'],
  ...['allowWatchBookmarks=true', 'sendInitialEvents=true', 'sendInitialEvents=true&allowWatchBookmarks=true'],
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  ...[
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={rv}',
    'sendInitialEvents=true&resourceVersionMatch=Exact&allowWatchBookmarks=true',
    'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={rv}&allowWatchBookmarks=true',
  ],
  ...['resourceVersionMatch=NotOlderThan', 'resourceVersion={rv}&resourceVersionMatch=Exact', 'sendInitialEvents=x'],
  ...['limit=1', 'continue=x', 'timeoutSeconds=x', 'timeoutSeconds=-1'],
];

export const deletionQueries: readonly string[] = [
  ...['', '', '', '', 'dryRun=All', 'dryRun=Some', 'gracePeriodSeconds=0', 'gracePeriodSeconds=x'],
  ...['propagationPolicy=Orphan', 'propagationPolicy=Foreground', 'propagationPolicy=Sometimes'],
];

/** Bodies of deletions. */
export const deletionOptions: readonly unknown[] = [
  ...[{}, {}, { gracePeriodSeconds: 0 }, { gracePeriodSeconds: 5 }, { gracePeriodSeconds: -1 }],
  ...[{ propagationPolicy: 'Background' }, { propagationPolicy: 'Foreground' }, { propagationPolicy: 'Orphan' }],
  ...[{ propagationPolicy: 'Sometimes' }, { orphanDependents: true }, { orphanDependents: false }],
  ...[{ orphanDependents: true, propagationPolicy: 'Orphan' }, { dryRun: ['All'] }, { dryRun: ['Some'] }],
  ...[{ preconditions: { uid: '{uid}' } }, { preconditions: { uid: 'other' } }, { preconditions: {} }],
  ...[{ preconditions: { resourceVersion: '{rv}' } }, { preconditions: { resourceVersion: '1' } }],
  ...[{ unheardOf: 1 }, { gracePeriodSeconds: 'x' }, { preconditions: { uid: 1 } }],
  ...[
    { apiVersion: 'v1', kind: 'DeleteOptions' },
    { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 },
    { apiVersion: 'v1', kind: 'Pod' },
  ],
];

export const applyQueries: readonly string[] = [
  ...['fieldManager=a', 'fieldManager=a', 'fieldManager=b', 'fieldManager=b&force=true', 'fieldManager=a&force=true'],
  ...['', 'force=true', 'fieldManager=a&force=x', `fieldManager=${'x'.repeat(129)}`],
];
