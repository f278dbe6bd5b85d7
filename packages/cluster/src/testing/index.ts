/** For tests of programs that talk to Kubernetes: a whole cluster on a virtual clock. */

export { seededRandom } from '../base/random.ts';
export { type OperatorUnderTest, runScenario, type ScenarioOptions } from './scenario/run.ts';
export { createTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
