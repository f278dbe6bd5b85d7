import type { PrometheusRemoteWrite } from '../../../resources/prometheus-fields.ts';
import { sectionOf } from '../../../scrape/fields/table.ts';
import { checkOneLogin, type Section } from '../../../scrape/http.ts';
import { remoteWriteFields } from './fields/remote-write.ts';
import { checkProxy } from './http.ts';
import type { Place } from './settings.ts';

/** The places that samples are sent to. */
export function remoteWriteSections(
  remotes: readonly PrometheusRemoteWrite[] | undefined,
  { version, leaf }: Omit<Place, 'at'>,
): readonly Section[] {
  const names = new Set<string>();
  const sections = new Map<string, number>();
  return (remotes ?? []).map((remote, index) => {
    const at = `spec.remoteWrite[${index}]`;
    if (remote.name && names.has(remote.name))
      leaf.reject('InvalidField', `${at}.name`, `another remote write is called "${remote.name}" already`);
    names.add(remote.name ?? '');
    const section = remoteWriteSection(remote, { version, leaf, at });
    const text = JSON.stringify(section);
    const twin = sections.get(text);
    if (twin !== undefined)
      leaf.reject('InvalidField', at, `is the same as spec.remoteWrite[${twin}]: leave one out, or give it a name`);
    sections.set(text, index);
    return section;
  });
}

function remoteWriteSection(remote: PrometheusRemoteWrite, place: Place): Section {
  checkProxy(remote, place);
  const section = sectionOf<PrometheusRemoteWrite, Place>(remote, remoteWriteFields, place);
  checkOneLogin(section, place);
  return section;
}
