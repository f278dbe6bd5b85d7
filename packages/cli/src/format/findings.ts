import type { Finding } from '@signalbox/telemetry';
import { idOf, type Manifest } from '../io/manifests.ts';
import { formatPlace } from './objects.ts';

/** Where manifests stand, by what they declare. */
export type Places = ReadonlyMap<string, Manifest>;

export function placesOf(manifests: readonly Manifest[]): Places {
  return new Map(manifests.map((manifest) => [idOf(manifest.object), manifest]));
}

/** `monitors.yaml:12 ServiceMonitor shop/web: spec.endpoints[0].interval: …` */
export function findingLine({ regarding, field, message }: Finding, places: Places): string {
  const found = places.get(idOf(regarding));
  const place = found === undefined ? '' : `${found.source}:${found.line} `;
  return `${place}${formatPlace(regarding)}: ${field === '' ? '' : `${field}: `}${message}`;
}
