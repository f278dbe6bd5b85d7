import { accessTexts } from './texts/access.ts';
import { kindTexts } from './texts/kinds.ts';
import { objectTexts } from './texts/objects.ts';
import { podTexts } from './texts/pods.ts';
import type { Texts } from './texts/texts.ts';

/**
 * What `kubectl explain` says about the kinds and fields that people look up most. Keys are definition names without
 * their prefix (`apps.v1.DaemonSetSpec`), then field names; `''` is the definition itself.
 */
const everyObject: Readonly<Record<string, string>> = {
  apiVersion: 'The group and version of the API that this object is written in, e.g. apps/v1.',
  kind: 'What the object is, e.g. DaemonSet. Cannot be changed.',
  metadata: 'Name, namespace, labels and everything else that all objects have.',
  spec: 'What is wanted.',
  status: 'What was observed last. Written by the system.',
  items: 'The objects of the list.',
};

const selector = 'Which pods belong to it. Must match the labels of the template, and cannot be changed.';
const template = 'What new pods look like.';
const minReadySeconds = 'How long a new pod must be ready before it counts as available. Defaults to 0.';
const revisionHistoryLimit = 'How many old revisions are kept for a rollback. Defaults to 10.';

const descriptions: Texts = {
  ...kindTexts,
  ...podTexts,
  ...objectTexts,
  ...accessTexts,
  'apps.v1.DaemonSet': {
    '': 'A DaemonSet runs one copy of a pod on every node that fits it, and follows the nodes as they come and go.',
  },
  'apps.v1.DaemonSetSpec': {
    '': 'What a DaemonSet should run, and where.',
    selector,
    template: `${template} Its node selector, affinity and tolerations decide which nodes get one.`,
    updateStrategy: 'How pods are replaced when the template changes.',
    minReadySeconds,
    revisionHistoryLimit,
  },
  'apps.v1.DaemonSetUpdateStrategy': {
    '': 'How a DaemonSet replaces its pods.',
    type: 'RollingUpdate (the default) replaces pods by itself, OnDelete waits until a pod is deleted.',
    rollingUpdate: 'Limits of a rolling update. Only with type RollingUpdate.',
  },
  'apps.v1.RollingUpdateDaemonSet': {
    maxUnavailable:
      'How many nodes may be without an available pod during the update: a number or a percentage. Defaults to 1.',
    maxSurge: 'How many nodes may run the old and the new pod at once: a number or a percentage. Defaults to 0.',
  },
  'apps.v1.DaemonSetStatus': {
    desiredNumberScheduled: 'Nodes that should run the pod.',
    currentNumberScheduled: 'Nodes that should run the pod and have it.',
    numberMisscheduled: 'Nodes that run the pod but should not.',
    numberReady: 'Nodes whose pod is ready.',
    numberAvailable: 'Nodes whose pod has been ready for minReadySeconds.',
    numberUnavailable: 'Nodes that lack an available pod.',
    updatedNumberScheduled: 'Nodes whose pod is of the current template.',
  },
  'apps.v1.StatefulSet': {
    '': 'A StatefulSet runs numbered pods, each with a name and storage of its own that outlive the pod.',
  },
  'apps.v1.StatefulSetSpec': {
    '': 'What a StatefulSet should run.',
    replicas: 'How many pods there should be. Defaults to 1.',
    selector,
    template: `${template} Pod number N is named <set>-N.`,
    serviceName: 'The headless Service that gives the pods their DNS names.',
    volumeClaimTemplates: 'Claims that every pod gets for itself. They stay when the pod goes.',
    podManagementPolicy: 'OrderedReady (the default) starts and stops pods one by one, Parallel all at once.',
    updateStrategy: 'How pods are replaced when the template changes.',
    persistentVolumeClaimRetentionPolicy: 'What happens to the claims when the set is deleted or scaled down.',
    ordinals: 'The number that the first pod has. Defaults to 0.',
    minReadySeconds,
    revisionHistoryLimit,
  },
  'apps.v1.Deployment': {
    '': 'A Deployment keeps a number of equal pods running and replaces them gradually when their template changes.',
  },
  'apps.v1.DeploymentSpec': {
    '': 'What a Deployment should run.',
    replicas: 'How many pods there should be. Defaults to 1.',
    selector,
    template,
    strategy: 'How old pods are replaced by new ones.',
    paused: 'While true, changes of the template are not rolled out.',
    progressDeadlineSeconds: 'How long a rollout may stand still before it counts as failed. Defaults to 600.',
    minReadySeconds,
    revisionHistoryLimit,
  },
  'apps.v1.ReplicaSet': { '': 'A ReplicaSet keeps a number of equal pods running. Usually made by a Deployment.' },
  'core.v1.Pod': { '': 'A Pod is a group of containers that run together on one node.' },
  'core.v1.PodTemplateSpec': { '': 'What pods made from a template look like.', spec: 'What the pods run.' },
  'core.v1.PodSpec': {
    '': 'What a pod runs, and where it may.',
    containers: 'The containers of the pod. At least one; cannot be added or removed later.',
    initContainers: 'Containers that run one after the other, each to its end, before the others start.',
    volumes: 'Storage that the containers can mount.',
    nodeName: 'The node that the pod runs on. Set by the scheduler.',
    nodeSelector: 'Labels that a node must have.',
    affinity: 'Rules about nodes and other pods that say where the pod may or should run.',
    tolerations: 'Taints of nodes that do not keep the pod away.',
    serviceAccountName: 'The account that the pod acts as towards the API.',
    restartPolicy: 'What happens when a container ends: Always (the default), OnFailure or Never.',
    terminationGracePeriodSeconds: 'How long the containers may take to stop. Defaults to 30.',
    hostNetwork: "Whether the pod uses the node's network instead of its own.",
    priorityClassName: 'How important the pod is, by name of a PriorityClass.',
    schedulerName: 'Which scheduler places the pod. Defaults to default-scheduler.',
    securityContext: 'Users, groups and rights that hold for all containers.',
    imagePullSecrets: 'Secrets with credentials for the image registries.',
  },
  'core.v1.Container': {
    '': 'One container of a pod.',
    name: 'Its name, unique in the pod.',
    image: 'The image to run.',
    command: 'The program to run instead of the entry point of the image.',
    args: 'Arguments of the program.',
    env: 'Environment variables.',
    envFrom: 'ConfigMaps and Secrets whose keys become environment variables.',
    ports: 'Ports that the container listens on.',
    resources: 'How much CPU, memory and other resources the container asks for and may use.',
    volumeMounts: 'Where volumes appear in the file system of the container.',
    livenessProbe: 'How to find out whether the container must be restarted.',
    readinessProbe: 'How to find out whether the container can serve requests.',
    startupProbe: 'How to find out whether the container has started; until then the other probes wait.',
    imagePullPolicy: 'Always, IfNotPresent or Never.',
    securityContext: 'User, group and rights of the container.',
  },
  'core.v1.Service': { '': 'A Service is a stable address in front of a changing set of pods.' },
  'core.v1.Node': { '': 'A Node is a machine that runs pods.' },
  'core.v1.NodeSpec': {
    taints: 'Reasons that keep pods away unless they tolerate them.',
    unschedulable: 'When true, no new pods are placed here.',
  },
  'core.v1.PodStatus': {
    '': 'What the pod is doing.',
    phase: 'Pending, Running, Succeeded, Failed or Unknown.',
    conditions: 'How far the pod has come: PodScheduled, Initialized, ContainersReady, Ready.',
    podIP: 'The address of the pod.',
    hostIP: 'The address of its node.',
    startTime: 'When the node took the pod on.',
    containerStatuses: 'The state of each container.',
    qosClass: 'Guaranteed, Burstable or BestEffort, by its requests and limits.',
    reason: 'Why the pod is in this state, in one word.',
    message: 'Why the pod is in this state.',
  },
  'core.v1.ContainerPort': {
    '': 'A port that a container listens on.',
    containerPort: 'The number of the port.',
    name: 'A name that Services can refer to. Unique in the pod.',
    protocol: 'TCP (the default), UDP or SCTP.',
    hostPort: 'The port of the node that leads here, if any.',
  },
  'core.v1.ResourceRequirements': {
    '': 'What a container asks for and may use.',
    requests: 'The least that the node must have free.',
    limits: 'The most that the container may use.',
  },
  'core.v1.EnvVar': {
    '': 'An environment variable.',
    name: 'Its name.',
    value: 'Its value. $(OTHER) stands for the value of a variable before it.',
    valueFrom: 'Where the value comes from instead.',
  },
  'core.v1.VolumeMount': {
    '': 'A volume in the file system of a container.',
    name: 'The name of the volume.',
    mountPath: 'Where it appears.',
    readOnly: 'Whether the container may only read.',
    subPath: 'A path inside the volume, instead of its root.',
  },
  'core.v1.ServiceSpec': {
    '': 'Which pods are reached, and how.',
    selector: 'Labels of the pods. Without one somebody else writes the endpoints.',
    ports: 'The ports that the Service offers.',
    type: 'ClusterIP (the default), NodePort, LoadBalancer or ExternalName.',
    clusterIP: 'The address inside the cluster; None for a headless Service. Cannot be changed.',
    externalName: 'The DNS name that a Service of type ExternalName stands for.',
    sessionAffinity: 'Whether a client always gets to the same pod: None (the default) or ClientIP.',
    publishNotReadyAddresses: 'Whether pods that are not ready are reached, too.',
  },
  'core.v1.NodeStatus': {
    '': 'What the node has and how it fares.',
    capacity: 'All that the node has.',
    allocatable: 'What of it pods can get.',
    conditions: 'Whether it is ready, and what it is short of.',
    addresses: 'How the node is reached.',
    nodeInfo: 'Its system and the versions of its programs.',
  },
  'core.v1.Taint': {
    '': 'A reason that keeps pods away.',
    key: 'Its key.',
    value: 'Its value.',
    effect: 'NoSchedule keeps new pods away, PreferNoSchedule if possible, NoExecute also removes those that run.',
    timeAdded: 'When it was added; counts for NoExecute.',
  },
  'autoscaling.v2.HorizontalPodAutoscaler': {
    '': 'A HorizontalPodAutoscaler scales something with the load of its pods.',
  },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': {
    '': 'What to scale, by what, and how far.',
    scaleTargetRef: 'What is scaled: anything with a scale subresource.',
    minReplicas: 'The least number of pods. Defaults to 1.',
    maxReplicas: 'The greatest number of pods.',
    metrics: 'What is measured; the one that asks for most wins. Defaults to 80 % of the requested CPU.',
    behavior: 'How fast it may go up and down.',
  },
  'policy.v1.PodDisruptionBudget': {
    '': 'A PodDisruptionBudget limits how many pods may be evicted at once.',
  },
  'policy.v1.PodDisruptionBudgetSpec': {
    '': 'Which pods, and how many must stay.',
    selector: 'The pods that count.',
    minAvailable: 'How many must stay: a number or a percentage. Not together with maxUnavailable.',
    maxUnavailable: 'How many may be away: a number or a percentage. Not together with minAvailable.',
  },
  'apiextensions.v1.CustomResourceDefinition': {
    '': 'A CustomResourceDefinition makes the API serve a new kind of object.',
  },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    '': 'The new kind.',
    group: 'The group of its API.',
    names: 'How it is called.',
    scope: 'Namespaced or Cluster.',
    versions: 'Its versions. Exactly one is stored.',
    conversion: 'How one version becomes another. None changes the apiVersion only.',
  },
  'meta.v1.ObjectMeta': {
    '': 'What all objects have.',
    name: 'The name, unique among the objects of a kind in a namespace. Cannot be changed.',
    generateName: 'The start of a name that the server completes.',
    namespace: 'The namespace that the object is in. Cannot be changed.',
    labels: 'Keys and values that selectors select by.',
    annotations: 'Keys and values for tools, not for selection.',
    uid: 'Tells this object from earlier and later ones of the same name. Set by the server.',
    resourceVersion: 'Changes with every write; a write that names an old one is refused.',
    generation: 'Counts changes of what is wanted.',
    creationTimestamp: 'When the object was created. Set by the server.',
    deletionTimestamp: 'When the object is due to go. Set by the server when deletion is asked for.',
    finalizers: 'Who must agree before the object goes.',
    ownerReferences: 'Objects whose end is the end of this one.',
    managedFields: 'Who set which field.',
  },
  'meta.v1.LabelSelector': {
    '': 'Selects objects by their labels. Empty selects all.',
    matchLabels: 'Labels that an object must have.',
    matchExpressions: 'Conditions on labels, all of which must hold.',
  },
};

/** The description of a definition, or of one of its fields; undefined when there is none. */
export function descriptionOf(definition: string, field = ''): string | undefined {
  const own = descriptions[definition.split('.').slice(-3).join('.')]?.[field];
  return own ?? (field === '' ? undefined : everyObject[field]);
}

/** What is described, by the names that the descriptions are written under. */
export function describedDefinitions(): readonly { readonly name: string; readonly fields: readonly string[] }[] {
  return Object.entries(descriptions).map(([name, fields]) => ({ name, fields: Object.keys(fields) }));
}
