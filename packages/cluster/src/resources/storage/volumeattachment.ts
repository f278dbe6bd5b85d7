import { volumeattachments } from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsSubdomainProblems } from '../../api/names.ts';
import { booleanColumn, column } from '../columns.ts';
import { inlineVolumeIssues } from '../core/persistentvolume.ts';
import { defaultSharedSource } from '../core/pod/volume-defaults.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { unchanged } from '../validation/fields.ts';
import { dnsSubdomain } from '../validation/names.ts';

const attacherBytesMax = 63;
const attachmentBytesMax = 256 * 1024;

export const volumeattachmentDefinition: ResourceDefinition<VolumeAttachment> = defineResource(volumeattachments, {
  schema: 'io.k8s.api.storage.v1.VolumeAttachment',
  traits: { updatesUnconditionally: false, returnsDeleted: true },
  hasStatus: true,
  statusKeeps: 'metadata',
  columns: [
    { ...column<VolumeAttachment>('Attacher', ({ spec }) => spec.attacher), format: 'name' },
    column('PV', ({ spec }) => spec.source.persistentVolumeName ?? ''),
    column('Node', ({ spec }) => spec.nodeName),
    booleanColumn('Attached', ({ status }) => status?.attached === true),
  ],
  defaults(attachment) {
    const { spec } = attachment;
    const inline = spec?.source?.inlineVolumeSpec;
    if (inline === undefined) return attachment;
    const source = { ...spec.source, inlineVolumeSpec: defaultSharedSource(inline) };
    return { ...attachment, spec: { ...spec, source } };
  },
  prepareForCreate: (attachment) => ({ ...attachment, status: { attached: false } }),
  *validate({ spec }, at) {
    const { attacher, nodeName, source } = (spec as VolumeAttachment['spec'] | undefined) ?? {};
    if ((attacher ?? '') === '') yield at('spec', 'attacher').required();
    yield* dnsSubdomain(nodeName ?? '', at('spec', 'nodeName'));
    yield* sourceIssues(source ?? {}, at('spec', 'source'));
  },
  // What is there already may be otherwise.
  *validateCreate({ spec }, at) {
    yield* attacherIssues(spec?.attacher ?? '', at('spec', 'attacher'));
    const name = spec?.source?.persistentVolumeName;
    if (name !== undefined) yield* dnsSubdomain(name, at('spec', 'source', 'persistentVolumeName'));
  },
  *validateStatusUpdate({ status }, _, at) {
    const parts = Object.entries(status?.attachmentMetadata ?? {}).flat();
    if (parts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > attachmentBytesMax)
      yield at('status', 'attachmentMetadata').tooLong('', attachmentBytesMax);
  },
  *validateUpdate(next, current, at) {
    yield* unchanged(next.spec, current.spec, at('spec'));
  },
});

function* sourceIssues(
  { persistentVolumeName, inlineVolumeSpec }: Partial<VolumeAttachment['spec']['source']>,
  at: FieldPath,
): Iterable<Issue> {
  const exactly = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (persistentVolumeName !== undefined && inlineVolumeSpec !== undefined) yield at.forbidden(exactly);
  else if (inlineVolumeSpec !== undefined) yield* inlineVolumeIssues(inlineVolumeSpec, at('inlineVolumeSpec'));
  else if (persistentVolumeName === undefined) yield at.required(exactly);
  else if (persistentVolumeName === '')
    yield at('persistentVolumeName').required('must specify non empty persistentVolumeName');
}

function* attacherIssues(attacher: string, at: FieldPath): Iterable<Issue> {
  for (const why of attacher === '' ? [] : dnsSubdomainProblems(attacher.toLowerCase()))
    yield at.invalid(attacher, why);
  if (Buffer.byteLength(attacher) > attacherBytesMax) yield at.tooLong(attacher, attacherBytesMax);
}
