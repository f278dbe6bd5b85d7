import { endpointslices, ingresses, nodes, pods, type ResourceType, services } from '@signalbox/cluster';
import { liveTypes, type RootComponent } from '@signalbox/telemetry';

/** Every resource that trees and readiness are made of, each once. */
export function typesOf(components: readonly RootComponent[]): readonly ResourceType[] {
  return [...new Set([...components.flatMap(({ rootType, reads }) => [rootType, ...reads]), ...liveTypes])];
}

/** What service discovery looks at. */
export const discoveryTypes: readonly ResourceType[] = [endpointslices, ingresses, nodes, pods, services];
