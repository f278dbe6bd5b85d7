export type { KubeList, KubeObject, New } from './api/meta.ts';
