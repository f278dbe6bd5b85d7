import type { Texts } from './texts.ts';

/** What all kinds have, and small shapes that stand under many names. */
export const everyKindTexts: Texts = {
  '*': {
    apiVersion: 'Group and version of the API that this object is written in.',
    kind: 'What the object is. Cannot be changed.',
    metadata: 'Name, namespace, labels and everything else that all objects have.',
    spec: 'What is wanted.',
    status: 'What was observed last. Written by the operator.',
  },
  '{key name optional}': {
    key: 'Which of its keys.',
    name: 'Name of the object, in the same namespace.',
    optional: 'Whether object and key may be missing. Default: they must be there.',
  },
  '{configMap secret}': {
    configMap: 'The key of a ConfigMap. Not together with secret.',
    secret: 'The key of a Secret. Not together with configMap.',
  },
  '{matchExpressions matchLabels}': {
    matchExpressions: 'Conditions on labels, all of which must hold.',
    matchLabels: 'Labels with the values that an object must have.',
  },
  matchExpressions: {
    key: 'Name of the label.',
    operator: 'In, NotIn, Exists or DoesNotExist.',
    values: 'What In and NotIn compare with; empty for the others.',
  },
  '{any matchNames}': {
    any: 'true: all namespaces. matchNames does not count then.',
    matchNames: 'Names of the namespaces. Empty: that of this object alone.',
  },
  'relabelings, metricRelabelings, relabelingConfigs, writeRelabelConfigs': {
    action: 'What the rule does. Default replace; upper and lower case mean the same.',
    modulus: 'By how much the hash is divided; what is left goes to targetLabel. For hashmod alone.',
    regex: 'What the joined values must match, as a whole. Default: anything. RE2 syntax.',
    replacement: 'What targetLabel becomes; $1 is the first group of regex, which is the default.',
    separator: 'What stands between the joined values. Default ;',
    sourceLabels: 'Labels whose values are joined and compared.',
    targetLabel: 'The label that is written.',
  },
  conditions: {
    type: 'What it is about, such as Reconciled or Available. One of each.',
    status: 'True, False or Unknown.',
    reason: 'Why, in one word for programs.',
    message: 'Why, for people; empty where there is nothing to add.',
    observedGeneration: 'The metadata.generation that this was found for.',
    lastTransitionTime: 'Since when the status is what it is.',
  },
  'Prometheus.status.conditions, PrometheusAgent.status.conditions': {
    status: 'True, False or Unknown; Available may also be Degraded.',
  },
  'GrafanaAgent.status, MetricsInstance.status, LogsInstance.status, PodLogs.status, Integration.status': {
    observedGeneration: 'The metadata.generation that the status is about.',
    metricsInstances: 'How many MetricsInstances a GrafanaAgent selects. Unused in other kinds.',
    logsInstances: 'How many LogsInstances a GrafanaAgent selects. Unused in other kinds.',
    integrations: 'How many Integrations a GrafanaAgent selects. Unused in other kinds.',
    monitors: 'How many monitors and PodLogs its instances select. Unused in other kinds.',
    conditions: 'Reconciled: whether all that is selected took effect. Available: whether all its pods are ready.',
  },
  'ServiceMonitor.status, PodMonitor.status, Probe.status, ScrapeConfig.status': {
    bindings: 'What became of it in each Prometheus and PrometheusAgent that selects it.',
    conditions: 'Selected: whether anybody reads it. TargetsFound: whether a target matches.',
  },
  'PrometheusRule.status': { bindings: 'Not written: nobody here reads rules.' },
  bindings: {
    group: 'Group of the one that selects it.',
    resource: 'Resource of the one that selects it, such as prometheuses.',
    namespace: 'Namespace of the one that selects it.',
    name: 'Name of the one that selects it.',
    conditions: 'Accepted: whether it is scraped, and if not, why.',
  },
  'Prometheus.status, PrometheusAgent.status': {
    availableReplicas: 'Pods of all active shards that have been ready for minReadySeconds.',
    conditions: 'Available, Reconciled, and what there is to say about shards and volumes.',
    paused: 'Whether the operator leaves this root as it is.',
    replicas: 'Pods of all active shards.',
    selector: 'What finds the first pod of every active shard: an autoscaler counts by it.',
    shardStatuses: 'Each shard by itself, with those that are only kept for their data.',
    shards: 'Active shards that exist. What an autoscaler takes for the size.',
    unavailableReplicas: 'Pods of all active shards that are missing or not ready.',
    updatedReplicas: 'Pods of all active shards that are of the current template.',
  },
  shardStatuses: {
    availableReplicas: 'Its pods that have been ready for minReadySeconds.',
    replicas: 'Its pods.',
    shardID: 'Its number, from 0.',
    unavailableReplicas: 'Its pods that are missing or not ready.',
    updatedReplicas: 'Its pods that are of the current template.',
  },
};
