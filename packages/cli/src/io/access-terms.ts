/** Who gets in besides the administrator, and what is written down of requests. */
export interface AccessTerms {
  /** A file of static tokens. */
  readonly tokenFile: string | undefined;
  /** False refuses whoever says nothing of who they are. */
  readonly anonymous: boolean;
  readonly audit: AuditTerms | undefined;
}

export interface AuditTerms {
  readonly policyFile: string;
  /** `-` is standard output. */
  readonly path: string;
  readonly megabytesMax: number | undefined;
  readonly daysMax: number | undefined;
  readonly backupsMax: number | undefined;
}
