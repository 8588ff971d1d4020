/** Patterns of the word rules in docs/glossary.md, and the openings that each kind of text must not have. */

/** Nouns that may say, know, take or want something, and words before a verb of theirs. */
const actors =
  'actors?|accounts?|administrators?|analysts?|applications?|attackers?|authors?|browsers?|callers?|clients?|curators?|' +
  'doctors?|drivers?|engineers?|guests?|hosts?|laborator(?:y|ies)|maintainers?|members?|operators?|owners?|patients?|' +
  'people|persons?|physicians?|programs?|providers?|readers?|recipients?|researchers?|servers?|services?|strangers?|' +
  'students?|subjects?|teams?|users?|visitors?|workers?|you|we|who|and|or|also|only|then|still|never|always';
/** Uses of "take" that no other verb replaces: time, space, turns. */
const measures =
  '(?:about|long|as|at most|at least|up to|more|less|longer|over|back|along|away|no longer|time|part|effect|care|precedence|' +
  'turns|linear|quadratic|seconds|minutes|hours|days|milliseconds|space|up|memory|twice|half|[\\dX]|' +
  '(?:a|an|one|two|its|the|their|no|some) (?:\\w+ )?(?:\\w+th|third|half|quarter|place|places|turn|turns|part|time|core|cores|' +
  'second|seconds|millisecond|minute|hour|moment|day|while|port|lock)\\b)';
const thing = `(?!(?:${actors})\\b)\\w+`;
const things = `(?:that|which|(?!(?:${actors})\\b)\\w+s)`;

/** Words of every kind of text, with what to write instead. */
export const words: readonly [RegExp, string][] = [
  [/\b(?:he|him|his|himself|she|her|hers)\b/i, 'no gendered pronoun'],
  [
    /\b(?:whoever|somebody|someone|anybody|anyone|nobody|no one)\b/i,
    'an actor is a noun: caller, user, client, operator, worker',
  ],
  [
    /(?:^|[.;:] |\b(?:and|or|that|if|by|of|for|to|from|on|than|about) )who (?!can |may )\w/i,
    'name the actor; "who" follows a noun',
  ],
  [/\b(?:tells?|told|untold)\b/i, 'things report, return, log or name; they do not tell'],
  [/\bturn(?:s|ed)? away\b/i, 'reject or refuse'],
  [/\bEHR configurations?\b/i, 'EHR system: one thing, one name'],
  [new RegExp(`\\b(?:says|said|unsaid|${things} say)\\b`, 'i'), 'name, state or report; things do not say'],
  [/\b(?:hears?|heard)\b/i, 'receive or learn; things do not hear'],
  [
    new RegExp(`\\b(?:stands|stood|(?:to|must|may|can|${things}) stand)\\b(?! for\\b)`, 'i'),
    'be, remain or precede; things do not stand',
  ],
  [
    new RegExp(`\\b(?:lies|lay|(?:to|must|may|can|${things}) lie)\\b`, 'i'),
    'be or begin at; things do not lie',
  ],
  [new RegExp(`\\b(?:comes|came|${things} come)\\b`, 'i'), 'arrive, follow or begin; things do not come'],
  [
    new RegExp(`\\b(?:${thing} gives|${things} give)\\b(?! (?:way|up|back|access)\\b)`, 'i'),
    'return, produce, assign or have; things do not give',
  ],
  [new RegExp(`\\b${thing} takes (?!${measures})`, 'i'), 'accept, need or use; things do not take'],
  [new RegExp(`\\b${thing} (?:knows|wants)\\b`, 'i'), 'have, need or ask for; things do not know or want'],
  [
    /(?:^|[.;:,] |\b(?:and|or|that|if|when|because|where|but) )none (?:is|are|was|were|has|have|may|can|must|\w+s)\b/i,
    'name what is absent: no row, no value',
  ],
];

const pronouns = 'He|She|It|Its|They|Their|Those|That|These|This';
const questions = 'Of|What|Who|Whose|Whom|Whoever|Whether|Which|Why|How|However|Where';
const opening = (...groups: string[]) => new RegExp(`^(?:${groups.join('|')})\\b(?![-’'])`);

/** Doc comments begin with a verb or a noun. */
export const commentOpening = opening(
  pronouns,
  questions,
  'The same|So|And|But|Or|Nor|Also|Then|There|Thus|None|Nobody|Nothing|Something|Somewhere',
  'As|At|By|For|From|In|Into|On|Over|To|With|Within|Beside|Behind|Besides|Since|Because|If|While|Until|Unless|Under',
);
/** A line comment may refer to the code below it; these openings cannot be read at all. */
export const lineOpening = opening(
  'Of|What|Who|Whose|Whom|Whoever|The same|Which|So many|And|But|So|Or|Somewhere',
);
export const apiOpening = opening(pronouns, questions, 'The same|And|But|So');
/** Summaries of operations begin with a verb in the imperative, as lists of generated clients and of `/docs` show them. */
export const summaryOpening = opening(
  'Accept|Add|Aggregate|Approve|Assign|Begin|Cancel|Change|Check|Choose|Complete|Connect|Consent|Continue|Count|Create|Delete',
  'Disconnect|Do|Enable|End|Exchange|Explain|Export|Follow|Get|Ingest|Invite|List|Look|Make|Open|Parse|Pause|Preview|Pull|Put|Query|Read',
  'Redirect|Register|Remove|Rename|Replace|Request|Revoke|Run|Save|Search|See|Send|Set|Show|Sign|Start|Store|Test|Turn|Update|Verify',
);
/** Doc comments of functions that do not begin with a verb. */
export const functionOpening = opening('The|A|An|All|Any|Each|Every|One|No|Some|Undefined');
/** Doc comments of interfaces and types that begin with a verb. */
export const valueOpening = opening('Returns|Throws|Rejects|Resolves|Yields');
/** A test name begins with its subject, also where a suite names the subject. */
export const nameOpening = new RegExp(
  `^(?:${pronouns}|${questions}|the same|so|and|but|or|also|none|nobody|nor|then|there|because|whatever|when|in|by|behind|` +
    'is|are|was|were|has|have|does|do|says|gives|takes|shows|needs|keeps|holds|goes|belongs|begins|exists|removes)\\b(?!-)',
  'i',
);

/** Words of identifiers that have a better one. */
export const identifiers: readonly [RegExp, string][] = [
  [/\b(?:[a-z]\w*)?(?:mistake|Mistake)\w*/g, 'error or fault'],
  [
    /\b(?:told|unsaid|untold|patiently|askers?|tell|[a-z]\w*(?:Told|Patiently|Asker|Unsaid))\b/g,
    'a word of rule 3 or 4',
  ],
  [/\b(?:[a-z]\w*(?:Least|Most)|(?:least|most)[A-Z]\w*)\b/g, '`min` and `max`'],
  [/\binterface \w+Parts\b(?= \{\n(?:.*\n)*?.*\b(?:records|audit|jobs|blobs): )/g, 'dependencies are `deps`'],
];

/** Maximum words of a sentence; a colon or semicolon ends one, and parentheses hold their own. */
export const sentenceWordsMax = 20;
