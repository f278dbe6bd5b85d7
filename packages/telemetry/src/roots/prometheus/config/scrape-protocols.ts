import type { Place } from './settings.ts';
import { isAtLeast } from './version.ts';

const known = [
  'PrometheusProto',
  'OpenMetricsText0.0.1',
  'OpenMetricsText1.0.0',
  'PrometheusText0.0.4',
  'PrometheusText1.0.0',
];
/** The youngest of them. Its pre-releases had it already. */
const young = 'PrometheusText1.0.0';
const youngSince = '3.0.0-rc.0';

/** From when on they can be chosen. */
export const protocolsSince = '2.49';

/** What targets are asked for, best first. One that this version does not know is left out, the others stay. */
export function scrapeProtocols(wanted: readonly string[], place: Place): readonly string[] {
  const { version, leaf, at } = place;
  for (const [index, name] of wanted.entries()) {
    checkProtocol(name, { ...place, at: `${at}[${index}]` });
    if (wanted.indexOf(name) < index) leaf.reject('InvalidField', `${at}[${index}]`, `"${name}" is named twice`);
  }
  if (isAtLeast(version, youngSince) || !wanted.includes(young)) return wanted;
  leaf.warn('UnsupportedField', at, `${young} needs Prometheus 3.0 or newer, so it is left out`);
  return wanted.filter((name) => name !== young);
}

export function checkProtocol(name: string | undefined, { leaf, at }: Place): void {
  if (name !== undefined && !known.includes(name))
    leaf.reject('InvalidField', at, `"${name}" is none of ${known.join(', ')}`);
}
