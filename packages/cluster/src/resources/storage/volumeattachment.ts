import { volumeattachments } from '../../api/generated/kinds.ts';
import type { VolumeAttachment } from '../../api/generated/storage-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { booleanColumn, column } from '../columns.ts';
import { inlineVolumeIssues } from '../core/persistentvolume.ts';
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
  prepareForCreate: (attachment) => ({ ...attachment, status: { attached: false } }),
  *validate({ spec }, at) {
    const { attacher, nodeName, source } = (spec as VolumeAttachment['spec'] | undefined) ?? {};
    yield* attacherIssues(attacher ?? '', at('spec', 'attacher'));
    yield* dnsSubdomain(nodeName ?? '', at('spec', 'nodeName'));
    const { persistentVolumeName, inlineVolumeSpec } = source ?? {};
    if (inlineVolumeSpec !== undefined)
      yield* inlineVolumeIssues(inlineVolumeSpec, at('spec', 'source', 'inlineVolumeSpec'));
    if (persistentVolumeName !== undefined)
      yield* dnsSubdomain(persistentVolumeName, at('spec', 'source', 'persistentVolumeName'));
    if (source?.persistentVolumeName !== undefined && source.inlineVolumeSpec !== undefined)
      yield at('spec', 'source').forbidden('must specify exactly one of inlineVolumeSpec and persistentVolumeName');
    if (spec?.source?.persistentVolumeName === undefined && spec?.source?.inlineVolumeSpec === undefined)
      yield at('spec', 'source').required('must specify exactly one of inlineVolumeSpec and persistentVolumeName');
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

function* attacherIssues(attacher: string, at: FieldPath): Iterable<Issue> {
  if (attacher === '') yield at.required();
  else yield* dnsSubdomain(attacher.toLowerCase(), at);
  if (Buffer.byteLength(attacher) > attacherBytesMax) yield at.tooLong(attacher, attacherBytesMax);
}
