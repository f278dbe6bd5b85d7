import type { RemoteWrite } from '../../../resources/remote.ts';
import { sectionOf } from '../../../scrape/fields/table.ts';
import { checkOneLogin, type Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { remoteWriteFields } from './fields/destinations.ts';
import { warnOfUnrendered } from './fields/unrendered.ts';

/** One place that metrics are sent to. `at` is its field: `spec.remoteWrite[0]`. */
export function remoteWriteSection(remote: RemoteWrite, leaf: Leaf, at: string): Section {
  if (remote.bearerToken && remote.bearerTokenFile)
    leaf.reject('InvalidField', `${at}.bearerTokenFile`, 'bearerToken is set as well, and only one of them may be');
  warnOfUnrendered(remote, remoteWriteFields, { leaf, at });
  const section = sectionOf(remote, remoteWriteFields, { leaf, at });
  checkOneLogin(section, { leaf, at });
  return section;
}

/** The agent refuses a file in which two remotes of one list share a name. */
export function checkNames(remotes: readonly RemoteWrite[], leaf: Leaf, at: string): void {
  const taken = new Set<string>();
  remotes.forEach(({ name = '' }, index) => {
    if (taken.has(name))
      leaf.reject('InvalidField', `${at}[${index}].name`, `another remote is called "${name}" already`);
    if (name !== '') taken.add(name);
  });
}
