/** Patterns of the word rules, and the kinds of text to which each applies. */

/** Nouns that may say, know, take or want something. */
const actors =
  'actors?|account|administrators?|analysts?|applications?|attackers?|authors?|browsers?|callers?|clients?|curators?|doctors?|drivers?|engineers?|' +
  'guests?|hosts?|labs?|laborator(?:y|ies)|maintainers?|members?|operators?|owners?|patients?|people|persons?|physicians?|' +
  'programs?|providers?|readers?|recipients?|researchers?|servers?|services?|strangers?|students?|subjects?|teams?|users?|visitors?|workers?|you|we';
const durations = '(?:about |at (?:most|least) |up to |more than )?(?:[\\dX]|seconds|minutes|hours|days|long|milliseconds|a (?:second|minute|while|moment)|time|place|part|effect|turns|precedence|care|over)';

const rule = (text: string, ...patterns: RegExp[]): [RegExp, string][] => patterns.map((pattern) => [pattern, text]);

/** Rules 3 and 4: actors are nouns, and things do not speak, stand or come. */
export const words: readonly [RegExp, string][] = [
  ...rule('no gendered pronoun', /\b(?:he|him|his|himself|she|her|hers)\b/i),
  ...rule(
    'an actor is a noun: caller, user, client, operator, worker',
    /\b(?:whoever|whom|somebody|someone|anybody|anyone|nobody|no one)\b/i,
    /(?:^|[.;:] |\b(?:and|or|that|if|by|of|for|to|from|on|than|about) )who (?!can |may )\w/i,
  ),
  ...rule('things report, return, log or name; they do not tell', /\b(?:tells?|told|untold)\b/i),
  ...rule('reject or refuse', /\bturn(?:s|ed)? away\b/i),
  ...rule('things name, state or report; they do not say', /\b(?:says|said|unsaid)\b/i, new RegExp(`\\b(?!(?:${actors})\\b)\\w+s say\\b`, 'i')),
  ...rule('things receive or learn; they do not hear', /\b(?:hears?|heard)\b(?! of)/i),
  ...rule('things are, remain or begin; they do not stand or lie', /\b(?:stands|stood|lies|lay)\b/i, /\b(?:to|must|may|can|that|which|\w+s) (?:stand|lie)\b/i),
  ...rule('things arrive, follow or begin; they do not come', /\b(?:comes|came)\b/i, new RegExp(`\\b(?!(?:${actors})\\b)(?:that|which|\\w+s) come\\b`, 'i')),
  ...rule('things return, produce or assign; they do not give', new RegExp(`\\b(?!(?:${actors})\\b)(?:that|which|\\w+s|\\w+) gives\\b`, 'i'), /\b(?:that|which|\w+s) give\b/i),
  ...rule('things accept, need or use; they do not take', new RegExp(`\\b(?!(?:${actors}|and|or|also|only|then|who)\\b)\\w+ takes (?!${durations})`, 'i')),
  ...rule('things have or hold; they do not know', new RegExp(`\\b(?!(?:${actors}|and|or|also|only|who)\\b)\\w+ knows\\b`, 'i')),
  ...rule('things need or ask for; they do not want', new RegExp(`\\b(?!(?:${actors}|and|or|also|only|who)\\b)\\w+ wants\\b`, 'i')),
  ...rule('name what is absent: no row, no value', /(?:^|[.;:,] |\b(?:and|or|that|if|when|because|where|but) )none (?:is|are|was|were|has|have|of|may|can|must|\w+s)\b/i),
];

const pronouns = 'He|She|It|Its|They|Their|Those|That|These|This';
const opening = (...groups: string[]) => new RegExp(`^(?:${groups.join('|')})\\b(?!-)`);

/** Rule 2: openings of doc comments. */
export const commentOpening = opening(
  pronouns,
  'Of|What|Who|Whose|Whom|Whoever|Whether|Which|Why|How|However|Where|The same|So|And|But|Or|Nor|Also|Then|There|Thus',
  'None|Nobody|Nothing|Something|Somewhere',
  'As|At|By|For|From|In|Into|On|Over|To|With|Within|Beside|Behind|Besides|Since|Because|If|While|Until|Unless|Under',
);
/** A line comment may refer to the code below it; these openings cannot be read at all. */
export const lineOpening = opening('Of|What|Who|Whose|Whom|Whoever|The same|Which|So many|And|But|So|Or|Behind|Somewhere');
/** Without the openings of `commentOpening` that the document still has. */
export const apiOpening = opening(pronouns, 'Of|What|Who|Whose|Whoever|Whether|The same|How|Where|And|But|So');
/** Rule 8: a test name begins with its subject. */
export const nameOpening = new RegExp(
  `^(?:${pronouns}|of|what|who|whose|whoever|which|the same|so|and|but|or|also|none|nobody|nor|then|there|where|why|because|one|another|others?|however|only|not|neither|both)\\b(?!-)`,
  'i',
);
