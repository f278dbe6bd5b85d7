import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';

/** How requests are sorted and shared out, as the objects say by the last write. */
export interface FlowObjects {
  /** Another one after every change: what was made of the objects holds for as long as it is the same. */
  readonly state: object;
  schemas(): readonly FlowSchema[];
  levels(): readonly PriorityLevelConfiguration[];
}
