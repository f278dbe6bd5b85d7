/** The DaemonSet that the figures are about. */
export const collector = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'collector', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { app: 'collector' } },
    template: {
      metadata: { labels: { app: 'collector' } },
      spec: {
        containers: [
          {
            name: 'collector',
            image: 'example/collector:1',
            resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { memory: '200Mi' } },
            volumeMounts: [{ name: 'logs', mountPath: '/var/log' }],
          },
        ],
        volumes: [{ name: 'logs', hostPath: { path: '/var/log' } }],
      },
    },
  },
} as const;
