import type { LeaseCandidate } from '../../api/generated/coordination-v1beta1.ts';
import { leasecandidates } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dataKey, qualifiedName } from '../validation/names.ts';

const oldestVersion = 'OldestEmulationVersion';
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

export const leasecandidateDefinition: ResourceDefinition<LeaseCandidate> = defineResource(leasecandidates, {
  schema: 'io.k8s.api.coordination.v1beta1.LeaseCandidate',
  traits: { updatesUnconditionally: false, createsOnUpdate: true },
  columns: [
    column('LeaseName', ({ spec }) => spec?.leaseName ?? ''),
    column('BinaryVersion', ({ spec }) => spec?.binaryVersion ?? ''),
    column('EmulationVersion', ({ spec }) => spec?.emulationVersion ?? ''),
  ],
  validateName: dataKey,
  *validate({ spec }, at) {
    const place = at('spec');
    const [leaseName, binaryVersion, emulationVersion] = [
      spec?.leaseName ?? '',
      spec?.binaryVersion ?? '',
      spec?.emulationVersion ?? '',
    ];
    if (leaseName === '') yield place('leaseName').required();
    if (emulationVersion !== '') yield* version(emulationVersion, place('emulationVersion'));
    if (binaryVersion === '') yield place('binaryVersion').required();
    else yield* version(binaryVersion, place('binaryVersion'));
    if (isBelow(binaryVersion, emulationVersion))
      yield place('binaryVersion').invalid(binaryVersion, 'must be greater than or equal to `emulationVersion`');
    yield* strategyIssues(spec, place);
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec?.leaseName, current.spec?.leaseName, at('spec', 'leaseName'));
  },
});

type Spec = LeaseCandidate['spec'];

function* strategyIssues(spec: Spec | undefined, at: FieldPath): Iterable<Issue> {
  const { strategy = '', emulationVersion = '' } = spec ?? {};
  if (strategy === '') {
    yield at('strategy').required();
    return;
  }
  if (strategy === oldestVersion && emulationVersion === '')
    yield at('emulationVersion').required(`must be specified when \`strategy\` is '${oldestVersion}'`);
  if (strategy.includes('/')) yield* qualifiedName(strategy, at('strategy', 'strategy'));
  else if (strategy !== oldestVersion) yield at('strategy', 'strategy').notSupported(strategy, [oldestVersion]);
}

function* version(value: string, at: FieldPath): Iterable<Issue> {
  if (!semanticVersion.test(value)) yield at.invalid(value, 'must be a valid semantic version');
}

/** By their three numbers; versions that are none are above nothing. */
function isBelow(first: string, second: string): boolean {
  const [a, b] = [semanticVersion.exec(first), semanticVersion.exec(second)];
  if (a === null || b === null) return false;
  for (const part of [1, 2, 3]) {
    const difference = Number(a[part]) - Number(b[part]);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
