// Objects as they stand on the wire.
export { kubernetesYaml } from './api/codec/yaml-schema.ts';
export type * from './api/generated/apiextensions-v1.ts';
export type * from './api/generated/apps-v1.ts';
export type * from './api/generated/autoscaling-v2.ts';
export type * from './api/generated/core-v1.ts';
export * from './api/generated/kinds.ts';
export type { GroupVersionKind, GroupVersionResource, ResourceType } from './api/gvk.ts';
export { apiVersionOf, parseApiVersion, resourceId, resourceName, resourceType } from './api/gvk.ts';
export type {
  Key,
  KubeList,
  KubeObject,
  LabelSelector,
  LabelSelectorRequirement,
  New,
  ObjectMeta,
  OwnerReference,
  StoredMeta,
} from './api/meta.ts';
export { controllerOf, keyOf, splitKey } from './api/meta.ts';
export { applyStrategicPatch } from './api/patch/strategic.ts';
export { parseQuantity } from './api/quantity.ts';
export { schemaOf } from './api/schema/node.ts';

// Values and time.
export { InvariantError } from './base/assert.ts';
export type { Clock } from './base/clock.ts';
export { fromTimestamp, systemClock, toTimestamp } from './base/clock.ts';
export { equal } from './base/equal.ts';
export { freeze } from './base/freeze.ts';

// What controllers are made of.
export type { Cache, CacheEvent, Caches, Index } from './client/cache.ts';
export type { Client } from './client/client.ts';
export type { Informers } from './client/informers.ts';
export type { Transport } from './client/transport.ts';
export type { Component, Platform, Problem } from './runtime/component.ts';
export type { Controller, Watch } from './runtime/controller.ts';
export { mapped, owned, primary } from './runtime/controller.ts';
export type { Action, Plan } from './runtime/plan.ts';
export { createControllerRunner } from './runtime/runner.ts';
