import type { FurtherPlugin, RequestHeaderTerms } from '@signalbox/cluster';

/** Who gets in besides the administrator, what of what they ask is taken, and what is written down of requests. */
export interface AccessTerms {
  /** A file of static tokens. */
  readonly tokenFile: string | undefined;
  /** False refuses whoever says nothing of who they are. */
  readonly anonymous: boolean;
  /** A proxy in front that says who asks; `ca` is a file. */
  readonly requestHeader: RequestHeaderTerms | undefined;
  readonly accountKeys: AccountKeyTerms;
  readonly admission: AdmissionTerms;
  readonly audit: AuditTerms | undefined;
}

/** By which keys tokens of service accounts are signed and checked, and under which name. */
export interface AccountKeyTerms {
  /** A file; undefined: the key of the data folder. */
  readonly signing: string | undefined;
  /** Files of keys by which tokens are checked besides. */
  readonly checking: readonly string[];
  /** The first one signs, the others count. */
  readonly issuers: readonly string[];
  /** The key of the data folder is changed at this start. */
  readonly changes: boolean;
}

export interface AdmissionTerms {
  /** By upstream's names. */
  readonly without: readonly string[];
  readonly further: readonly FurtherPlugin[];
  readonly configFile: string | undefined;
}

export interface AuditTerms {
  readonly policyFile: string;
  /** `-` is standard output. */
  readonly path: string;
  readonly megabytesMax: number | undefined;
  readonly daysMax: number | undefined;
  readonly backupsMax: number | undefined;
}
