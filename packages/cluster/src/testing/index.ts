/** For tests of programs that talk to Kubernetes: a whole cluster on a virtual clock. */

export { systemIdentities } from '../api/system-identities.ts';
export { seededRandom } from '../base/random.ts';
export { makeMeta, makeNode, makePod, type NodeParts, type PodParts } from './makers.ts';
export { type OperatorUnderTest, runScenario, type ScenarioOptions } from './scenario/run.ts';
export { createIdentityJudge, type IdentityJudge } from './server/identity-judge.ts';
export { createTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

// What attacks and simulations look at besides: who asks, what a server says, what it serves, what a store keeps.

export { milliValue, wholeValue } from '../api/quantity.ts';
export type { SchemaNode } from '../api/schema/node.ts';
export { conflict, expired, failure, modifiedMeanwhile } from '../api/status.ts';
export type { Identity } from '../api/system-identities.ts';
export { adminUser } from '../cluster.ts';
export { stoppedAnnotation } from '../node/driver.ts';
export { createSimulatedDriver } from '../node/drivers/simulated/driver.ts';
export { isUnpullable } from '../node/drivers/simulated/simulation.ts';
export { newNode } from '../node/node-status.ts';
export { isPodActive, isPodTerminal, podAvailable, podCondition, podReady } from '../resources/core/pod/facts.ts';
export type {
  ApiVerb,
  Column,
  ResourceDefinition,
  SelectableField,
  StoredAs,
  Subresource,
  Traits,
} from '../resources/resource.ts';
export type { Conversion, Learning } from '../server/context/conversion.ts';
export type { Served } from '../server/context/registry.ts';
export { loadAllExpressions } from '../server/expressions.ts';
export { type BodyShape, schemaFor } from '../server/intake/fields.ts';
export { createMemoryBackend } from '../store/backends/memory.ts';
export type { CompactionLimits } from '../store/compaction.ts';
export { createStore, type StoreOptions } from '../store/create.ts';
export type {
  BackendBatch,
  BackendRecord,
  CommitOutcome,
  Expired,
  Store,
  StoreCountOptions,
  Stored,
  StoreEvent,
  StoreFailure,
  StoreList,
  StoreListOptions,
  StoreUsage,
  SubscribeOptions,
  Weight,
  Write,
} from '../store/store.ts';
export { freePorts } from './free-ports.ts';
