/** The functions that Promtail's `template` stage knows: Go's, Sprig's (version 3.2) and its own. */
export const templateFunctions: ReadonlySet<string> = new Set(
  `
  Hash Replace Sha2Hash ToLower ToUpper Trim TrimLeft TrimPrefix TrimRight TrimSpace TrimSuffix abbrev
  abbrevboth add add1 add1f addf adler32sum ago all and any append atoi b32dec b32enc b64dec b64enc base bcrypt
  biggest buildCustomCert call camelcase cat ceil chunk clean coalesce compact concat contains date dateInZone
  dateModify date_in_zone date_modify decryptAES deepCopy deepEqual default derivePassword dict dig dir div
  divf duration durationRound empty encryptAES eq ext fail first float64 floor fromJson ge genCA genCAWithKey
  genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey get getHostByName
  gt has hasKey hasPrefix hasSuffix hello html htmlDate htmlDateInZone htpasswd indent index initial initials
  int int64 isAbs join js kebabcase keys kindIs kindOf last le len list lower lt max maxf merge mergeOverwrite
  min minf mod mul mulf mustAppend mustChunk mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson
  mustHas mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush mustRegexFind mustRegexFindAll
  mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice
  mustToDate mustToJson mustToPrettyJson mustToRawJson mustUniq mustWithout must_date_modify ne nindent nospace
  not now omit or osBase osClean osDir osExt osIsAbs pick pluck plural prepend print printf println push quote
  randAlpha randAlphaNum randAscii randBytes randInt randNumeric regexFind regexFindAll regexMatch
  regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver
  semverCompare seq set sha1sum sha256sum shuffle slice snakecase sortAlpha split splitList splitn squote sub
  subf substr swapcase ternary title toDate toDecimal toJson toPrettyJson toRawJson toString toStrings trim
  trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset until
  untilStep untitle upper urlJoin urlParse urlquery uuidv4 values without wrap wrapWith
  `
    .trim()
    .split(/\s+/),
);

/** Sprig's, by which whoever writes a stage would read what the administrator gave to the agents. */
export const readsEnvironment: ReadonlySet<string> = new Set(['env', 'expandenv']);

/** Whether a text could call them, whether or not it is a template. */
export function namesEnvironment(text: string): boolean {
  return [...readsEnvironment].some((name) => text.includes(name));
}
