export type { KubeObject } from '@signalbox/cluster';
