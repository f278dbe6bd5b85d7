/** What containers run: programs of this machine, and images that were unpacked on it. */
import type { Container } from '@signalbox/cluster';
import type { Image } from './image.ts';
import type { Ability } from './needs.ts';
import { type FoundProgram, type ImagePlan, planImage, programImage } from './plan.ts';
import { fullImageName } from './reference.ts';
import type { ImageRule } from './rules.ts';

export interface Images {
  find(container: Pick<Container, 'image' | 'imagePullPolicy'>, needed: readonly Ability[]): Promise<FoundImage>;
}

export type FoundImage =
  | { readonly ok: true; readonly image: Image }
  /** As a kubelet says it: `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`. */
  | { readonly ok: false; readonly reason: string; readonly message: string };

export interface ImageSources {
  readonly rules: readonly ImageRule[];
  /** On PATH, or at an absolute path; `signalbox reloader` is ours. Looked for anew each time: it may be installed meanwhile. */
  findProgram(program: string): Promise<FoundProgram | undefined>;
  /** What the program cannot do. */
  lacking(program: FoundProgram): Promise<readonly Ability[]>;
  /** By its full name; throws with the reason when an archive is damaged. */
  unpacked(fullName: string): Promise<Image | undefined>;
}

/** Unpacked images come before programs: whoever put them there meant it. */
export function createImages(sources: ImageSources): Images {
  return {
    async find({ image: text = '', imagePullPolicy }, needed) {
      const plan = planImage(text, sources.rules);
      if (plan.is === 'invalid') return invalidName(text);
      let image: Image | undefined;
      try {
        image = await sources.unpacked(fullImageName(plan.name));
      } catch (error) {
        return backOff(text, error instanceof Error ? error.message : String(error));
      }
      if (image !== undefined) return { ok: true, image };
      const program = await programOf(plan, needed, sources);
      if ('image' in program) return { ok: true, image: program.image };
      return imagePullPolicy === 'Never' ? neverPulled(text, program.why) : backOff(text, program.why);
    },
  };
}

type Program = { readonly image: Image } | { readonly why: string };

async function programOf(plan: ImagePlan, needed: readonly Ability[], sources: ImageSources): Promise<Program> {
  if (plan.is !== 'program')
    return {
      why: 'no program stands for this image; name one by --image PATTERN=PROGRAM, or put an archive of it into --images DIR',
    };
  const { candidates, known } = plan;
  let refusal: string | undefined;
  for (const candidate of candidates) {
    const found = await sources.findProgram(candidate);
    if (found === undefined) continue;
    const lacking = needed.length === 0 ? [] : await sources.lacking(found);
    const missing = needed.filter((each) => lacking.includes(each));
    if (missing.length === 0) return { image: programImage(plan, found) };
    refusal ??= `${found.path} is built without ${missing.join(' and ')}, which its configuration needs; name one that has it by --image PATTERN=PROGRAM`;
  }
  return { why: refusal ?? `no ${candidates.join(' or ')} on PATH; ${known.mend}, or name another one by --image` };
}

function invalidName(text: string): FoundImage {
  const message = `Failed to apply default image tag "${text}": couldn't parse image name "${text}": invalid reference format`;
  return { ok: false, reason: 'InvalidImageName', message };
}

function neverPulled(text: string, why: string): FoundImage {
  const message = `Container image "${text}" is not present with pull policy of Never: ${why}`;
  return { ok: false, reason: 'ErrImageNeverPull', message };
}

function backOff(text: string, why: string): FoundImage {
  return { ok: false, reason: 'ImagePullBackOff', message: `Back-off pulling image "${text}": ErrImagePull: ${why}` };
}
