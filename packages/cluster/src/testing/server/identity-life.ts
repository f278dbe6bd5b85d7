/** A cluster in which every part of the plane does all that it ever does: what is in it, and what becomes of that. */
import { janesRequest } from '../resources/certificate-requests.ts';
import { nodeClientRequest } from '../resources/node-certificate-requests.ts';

const template = (app: string, more = ''): string =>
  `{ metadata: { labels: { app: ${app} } }, spec: { containers: [{ name: main, image: 'app:1', resources: { requests: { cpu: 1 } } }]${more} } }`;
const selecting = (app: string, more = ''): string =>
  `{ revisionHistoryLimit: 1, selector: { matchLabels: { app: ${app} } }, template: ${template(app)}${more} }`;
const meta = (name: string): string => `{ name: ${name}, namespace: shop }`;

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: ${meta('d')}
spec: ${selecting('d', ', replicas: 2')}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: ${meta('rs')}
spec: ${selecting('rs', ', replicas: 1').replace('revisionHistoryLimit: 1, ', '')}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: ${meta('ds')}
spec: ${selecting('ds')}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: ${meta('s')}
spec:
  serviceName: s
  replicas: 2
  revisionHistoryLimit: 1
  persistentVolumeClaimRetentionPolicy: { whenScaled: Delete, whenDeleted: Delete }
  selector: { matchLabels: { app: s } }
  template: ${template('s')}
  volumeClaimTemplates:
  - metadata: { name: data }
    spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: ReplicationController
metadata: ${meta('rc')}
spec: { replicas: 1, selector: { app: rc }, template: ${template('rc')} }
---
apiVersion: batch/v1
kind: CronJob
metadata: ${meta('often')}
spec:
  schedule: '*/5 * * * *'
  successfulJobsHistoryLimit: 1
  jobTemplate: { spec: { template: ${template('often', ', restartPolicy: Never')} } }
---
apiVersion: batch/v1
kind: Job
metadata: ${meta('late')}
spec: { activeDeadlineSeconds: 30, ttlSecondsAfterFinished: 60, template: ${template('late', ', nodeSelector: { no: where }, restartPolicy: Never').replace('app:1', 'late:1')} }
---
apiVersion: v1
kind: Endpoints
metadata: { name: outside, namespace: shop, annotations: { of: 'app:1' } }
subsets: [{ addresses: [{ ip: 192.0.2.1 }], ports: [{ port: 80 }] }]
`;

const beside = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: made-late }
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: { name: disk.example.com, annotations: { signalbox.dev/simulated: "true" } }
spec: { attachRequired: true }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: chosen-late }
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: chosen-late }
spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce], storageClassName: chosen-late, hostPath: { path: /late } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: ${meta('made-late')}
spec: { storageClassName: made-late, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: ${meta('chosen-late')}
spec: { storageClassName: chosen-late, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: ${meta('late')}
spec:
  containers: [{ name: main, image: late }]
  volumes:
    - { name: made, persistentVolumeClaim: { claimName: made-late } }
    - { name: chosen, persistentVolumeClaim: { claimName: chosen-late } }
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: first }
value: 1000
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: strayed
  namespace: shop
  ownerReferences: [{ apiVersion: v1, kind: ConfigMap, name: elsewhere, uid: UID }]
---
apiVersion: v1
kind: Service
metadata: ${meta('a')}
spec: { selector: { app: d }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Service
metadata: ${meta('outside')}
spec: { ports: [{ port: 80 }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: ${meta('a')}
spec: { maxUnavailable: 1, selector: { matchLabels: { app: d } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: ${meta('nothing')}
spec: { maxUnavailable: 1, selector: { matchLabels: { app: nothing } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: ${meta('of-a-job')}
spec: { maxUnavailable: 1, selector: { matchLabels: { app: late } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: ${meta('a')}
spec:
  minReplicas: 3
  maxReplicas: 4
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: d }
  metrics:
  - { type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } } }
  - { type: Pods, pods: { metric: { name: orders }, target: { type: AverageValue, averageValue: 1 } } }
  - { type: External, external: { metric: { name: queue }, target: { type: Value, value: 1 } } }
---
apiVersion: v1
kind: ResourceQuota
metadata: ${meta('all')}
spec: { hard: { pods: 100 } }
---
apiVersion: v1
kind: Pod
metadata: ${meta('ephemeral')}
spec:
  containers: [{ name: main, image: 'app:1' }]
  volumes:
  - name: scratch
    ephemeral: { volumeClaimTemplate: { spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } } }
---
apiVersion: v1
kind: Pod
metadata: ${meta('too-large')}
spec: { containers: [{ name: main, image: 'app:1', resources: { requests: { cpu: 1k } } }] }
---
apiVersion: v1
kind: ServiceAccount
metadata: ${meta('robot')}
---
apiVersion: v1
kind: Secret
metadata: { name: robot-token, namespace: shop, annotations: { kubernetes.io/service-account.name: robot } }
type: kubernetes.io/service-account-token
---
apiVersion: v1
kind: Secret
metadata: { name: robot-listed, namespace: shop, annotations: { kubernetes.io/service-account.name: robot } }
type: kubernetes.io/service-account-token
`;

const ofTheCluster = `
apiVersion: v1
kind: Node
metadata: { name: by-hand }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: small }
spec:
  matchConstraints: { resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments] }] }
  validations: [{ expression: object.spec.replicas < 1000 }]
---
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast }
provisioner: signalbox.dev/simulated
reclaimPolicy: Delete
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: by-hand }
spec:
  capacity: { storage: 2Gi }
  accessModes: [ReadWriteOnce]
  storageClassName: by-hand
  persistentVolumeReclaimPolicy: Delete
  hostPath: { path: /data }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: by-hand, namespace: default }
spec: { storageClassName: by-hand, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: more, labels: { rbac.authorization.k8s.io/aggregate-to-view: 'true' } }
rules: [{ apiGroups: [example.com], resources: [things], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: boot }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:certificates.k8s.io:certificatesigningrequests:nodeclient }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: system:masters }]
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: node }
spec: { request: ${nodeClientRequest}, signerName: kubernetes.io/kube-apiserver-client-kubelet, usages: [client auth, digital signature] }
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: jane }
spec: { request: ${janesRequest}, signerName: kubernetes.io/kube-apiserver-client, usages: [client auth] }
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1.example.com }
spec: { group: example.com, version: v1, groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true, service: { name: none, namespace: default } }
`;

/** All of it; workloads of another image are rolled out. */
export const life = ({ image, strayed }: { readonly image: string; readonly strayed: string }): string =>
  [ofTheCluster, workloads.replaceAll('app:1', image), beside.replace('UID', strayed)].join('\n---\n');

/** More than there is room for beside what is there, and of more weight. */
export const important: string = `
apiVersion: apps/v1
kind: ReplicaSet
metadata: ${meta('important')}
spec:
  replicas: 3
  selector: { matchLabels: { app: important } }
  template:
    metadata: { labels: { app: important } }
    spec: { priorityClassName: first, containers: [{ name: main, image: 'app:1', resources: { requests: { cpu: 7 } } }] }
`;
