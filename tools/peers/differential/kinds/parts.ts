/** What objects of several kinds have in them. */
import type { JsonObject } from '@signalbox/cluster';

export const pod: JsonObject = { containers: [{ name: 'main', image: 'example/main:1' }] };
export const richPod: JsonObject = {
  containers: [
    {
      name: 'main',
      image: 'example/main:1',
      command: ['/bin/main'],
      args: ['--port', '80'],
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
      ],
      ports: [{ name: 'http', containerPort: 80 }],
      readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
      livenessProbe: { exec: { command: ['true'] } },
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
      volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
    },
  ],
  initContainers: [{ name: 'first', image: 'example/first:1', restartPolicy: 'Always' }],
  volumes: [
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'config', configMap: { name: 'a', items: [{ key: 'a', path: 'a' }] } },
    { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }] } },
    { name: 'host', hostPath: { path: '/var/log' } },
  ],
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'a' } },
    },
  ],
  terminationGracePeriodSeconds: 10,
  securityContext: { fsGroup: 1000 },
};
export const labels: JsonObject = { app: 'a' };
export const selector: JsonObject = { matchLabels: labels };
export const template = (spec: JsonObject): JsonObject => ({ metadata: { labels }, spec });
export const claim: JsonObject = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
