"""Every number that decides what is quoted and what is declined, each with its reason. Fitted on the questions in
tests/components/generators/data; `tests/components/generators/test_regression_set.py` holds them to it."""

from __future__ import annotations

# --- how well a question's word is found (0 not at all, 1 in the sentence itself)
IN_SENTENCE = 1.0
IN_HEADING = 0.95
"""The heading or title says what its sentences are about, almost as good as the sentence."""
IN_NEIGHBOUR = 0.75
"""The sentences beside it: a paragraph keeps to its subject, but not always."""
BESIDE_IN_ORDER = 0.4
"""The same where sentences are put in order: the sentence that says it itself goes first."""
IN_PASSAGE = 0.35
"""Elsewhere in the passage: below half, so that it does not count as found."""
SYNONYM = 0.85
"""A word of the same group in the list of ordinary English; the groups are loose ("fee" and "fine")."""
PREFIX = 0.75
"""The same first six letters (derivations that the stemmer leaves apart)."""
PREFIX_LETTERS = 6
MEANING_NONE, MEANING_FULL = 0.2, 0.6
"""Cosines, in context, of a word of the question and the closest word of the sentence. Of words that the sentence does not have, those of
answerable questions lie at .41 in the middle, those of near misses at .22; unrelated words are below .2."""
MEANING_AT_MOST = 0.8
"""Credit at the upper of the two: less than a synonym of the list, since dogs and cats are alike too."""
MEANING_ALONE, FEW_WORDS = 0.2, 2
"""Credit at most in a question of so few content words: nothing else in it tells a relative ("travel policy") from the thing ("vacation policy")."""
FOUND = 0.6
"""From here on a word counts as found."""

SAME_SUBJECT = 0.6
"""Share of the question's weight that a sentence holds which stands elsewhere and gives the figure or name that the first one lacks."""
SUBJECT_OF_FIGURES = 0.4
"""The same for a sentence with a figure that one standing elsewhere explains."""
MEANING_OF_FIGURES = 0.35
"""Credit by meaning at most where a figure, a name, a time or a place is asked for: below what counts as found, since a figure of
something else ("sick leave" for "vacation") is a wrong answer."""
CLASSED = 0.8
"""The noun behind a numbered class ("severity 2 ticket") where a sentence names the class: the class tells which."""
LIMIT = 0.9
"""A limit ("more than eight hours") for an amount of the question's case ("six hours")."""

# --- what is compared by meaning
MAX_COMPARED = 18
"""Sentences embedded for a question, best by words: about 0.25 s on one core."""

# --- order of the candidates
WEIGHT_SIMILARITY = 1.0
WEIGHT_COVERAGE = 0.9
"""Words and meaning count about the same: cosines of answers lie within .5, coverages within .6."""
WEIGHT_KIND = 0.35
"""A sentence without a time cannot answer "when": costs more than any usual difference in similarity."""
WEIGHT_RANK = 0.1
"""The first passage gets all of it, the second half: the retriever's opinion breaks ties."""
DEFINES = 0.2
"""For a sentence that defines the subject of a definition question."""
TITLED = 0.1
"""The same for a passage under a heading that names that subject and nothing else."""
STEPS = 0.2
"""For the introduction of a list where the question is how something is done: its steps are quoted with it."""
FIELDS_BESIDE_PROSE = 0.5
"""Off for a record's fields that only name what is asked about ("title: Theft"), so that a sentence goes first where there is one."""
TURNED_ROUND = 0.15
"""Off for a sentence on what is done, where the question is what happens if it is not."""
OWN_NUMBER = 0.5
"""For a passage that is the provision asked about rather than one that refers to it."""

# --- whether to answer: a logistic function of three features of the chosen sentences, fitted on the regression set
# (scikit-learn's LogisticRegression, classes balanced; ten-fold AUC .94). Coverage as a fourth feature adds nothing to the gap.
BIAS = -4.4
ON_SIMILARITY = 5.5
ON_GAP = -5.8
"""The worst covered word decides: a sentence that has all of "cancel the gold plan" but `cancel` answers something else."""
ON_KIND = 3.8
ANSWER_FROM = 0.5

CURRENT_FROM = 0.3
"""The same for a passage in force where one that is no longer in force would answer: what holds today is worth more."""
TRIED = 3
"""Sentences from the top that are tried as the answer; the first that suffices is taken."""

LIGHT_MISSING = 0.2
"""Words below this weight are not named in a refusal."""
HEAVY_IN_ORDER = 0.3
"""Weight of a word for which a second sentence is looked for: every content word."""
HEAVY = 0.45
"""Weight of a word from which it must be found somewhere (general English rank about 1300 and rarer)."""

# --- how much is quoted
CLOSE = 0.1
"""A second sentence is quoted too when its score is within this of the best."""
SAME_ORDER = 0.03
"""A second sentence with a figure must hold as much of the question as the first: what it lacks tells that it is about something else."""
ALIKE = 0.2
"""Where a list is asked for, a sentence of another place is quoted too when its score is within this of the best."""
MAX_LISTED = 12
"""Rows, items or sentences quoted of a list at most."""
MAX_SENTENCES = 6
MAX_PER_PART = 2
