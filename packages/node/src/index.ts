// Parts of the network inside, to be measured by themselves.

export type { FoundProgram } from './images/plan.ts';
export { createNames, type Names, type NamesOptions } from './inside/names/server.ts';
export { defaultNetwork, type NetworkPlan } from './inside/network/network.ts';
export { lacksOf, type MachineFacts, observeFacts } from './inside/preflight.ts';
export { type ConnectOptions, createConnect } from './inside/services/connect.ts';
export { createServices, type Services, type ServicesTools } from './inside/services/services.ts';
export { createSimulatedAnswers, type SimulatedAnswers, type SimulatedOptions } from './inside/simulated/answers.ts';
export { type StartedInside, type StartInside, startInside } from './inside/start-inside.ts';
export { type Kubelet, type KubeletOptions, type KubeletTls, openKubelet } from './kubelet/door.ts';
export { selfSigned } from './kubelet/self-signed.ts';
export { type NodeOptions, type RunningNode, startNode } from './node.ts';
export { connectInside, type InsideClient } from './protocol/client.ts';
export { InsideFailure } from './protocol/failure.ts';
export type * from './protocol/inside.ts';
export type * from './protocol/launch.ts';
export type * from './protocol/network.ts';
export { groupName, type NodePlaces, nodePlaces } from './protocol/places.ts';
export type * from './protocol/volume.ts';
